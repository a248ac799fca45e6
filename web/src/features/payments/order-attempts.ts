/** Creating the booking's one order: three attempts, a second apart. */
import type { Client } from '@connectrpc/connect';
import type { PaymentsService, StartPaymentResponse } from '@/gen/payments/v1/payments_service_pb';
import { describeError } from '@/lib/errors';
import { wait } from '@/lib/wait';

export const ATTEMPTS_MAX = 3;
const ATTEMPT_GAP_MS = 1000;

type Start = {
  payments: Client<typeof PaymentsService>;
  bookingId: string;
  signal: AbortSignal;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** The same key every time: a booking never has more than one order. */
export async function startOrder(start: Start): Promise<StartPaymentResponse> {
  const { payments, bookingId, signal, pause = wait } = start;
  const idempotencyKey = `start-${bookingId}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await payments.startPayment({ bookingId, idempotencyKey }, { signal });
    } catch (error) {
      const last = attempt >= ATTEMPTS_MAX || !describeError(error).retryable;
      if (last || signal.aborted) throw error;
    }
    await pause(ATTEMPT_GAP_MS, signal);
  }
}
