/** Hands the checkout's signed answer in. What is lost here, webhook and poll find all the same. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useCallback, useMemo, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import { PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { describeError } from '@/lib/errors';
import { wait } from '@/lib/wait';
import type { CheckoutAnswer } from '../checkout-window';

const ATTEMPTS_MAX = 3;
const GAP_MS = 1000;

export type CheckoutAnswering = {
  submit: (answer: CheckoutAnswer) => Promise<void>;
  /** Why the service refused the last answer. */
  refused: unknown;
};

export function useCheckoutAnswer(bookingId: string): CheckoutAnswering {
  const transport = useTransport();
  const client = useMemo(() => createClient(PaymentsService, transport), [transport]);
  const [refused, setRefused] = useState<unknown>();

  const submit = useCallback(
    async (answer: CheckoutAnswer) => {
      toast({ title: 'Payment Successful!', description: 'We are confirming it now.' });
      setRefused(undefined);
      const request = {
        bookingId,
        paymentId: answer.paymentId,
        signature: answer.signature,
        idempotencyKey: `answer-${answer.paymentId}`,
      };
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        try {
          await client.submitCheckoutAnswer(request);
          return;
        } catch (error) {
          if (!describeError(error).retryable) return setRefused(error);
        }
        await wait(GAP_MS);
      }
    },
    [client, bookingId],
  );

  return { submit, refused };
}
