/** Leaving the wait list, and giving an offered time to the next person. Both can be asked for twice. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { WaitingService } from '@/gen/booking/v1/waiting_service_pb';
import { errorReason } from '@/lib/errors';

/** What is gone is what was asked for. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (errorReason(error) !== 'WAITING_NOT_FOUND') throw error;
  }
}

export function useLeaveWaiting(waitingId: string, onLeft: () => void) {
  const client = createClient(WaitingService, useTransport());
  return useMutation({
    mutationFn: () => unlessGone(client.leaveWaiting({ waitingId })),
    onSuccess: onLeft,
  });
}

export function useDeclineOffer(waitingId: string, onDeclined: () => void) {
  const client = createClient(WaitingService, useTransport());
  return useMutation({
    mutationFn: (offerId: string) => unlessGone(client.declineOffer({ waitingId, offerId })),
    onSuccess: onDeclined,
  });
}
