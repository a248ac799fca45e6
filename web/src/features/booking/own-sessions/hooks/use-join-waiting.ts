/** Joining the wait list: one entry, however often the button is pressed. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import {
  type Waiting,
  WaitingService,
  type WaitingWishSchema,
} from '@/gen/booking/v1/waiting_service_pb';
import { describeError } from '@/lib/errors';
import { useAttemptKey } from '../../shared/hooks/use-attempt-key';

export type Wish = MessageInitShape<typeof WaitingWishSchema>;

type Joining = { wish: Wish; firstName: string };

export function useJoinWaiting(onJoined: (waiting: Waiting) => void) {
  const client = createClient(WaitingService, useTransport());
  const attempt = useAttemptKey();
  return useMutation({
    mutationFn: async ({ wish, firstName }: Joining) => {
      const idempotencyKey = attempt.keyOf(JSON.stringify([wish, firstName]));
      const { waiting } = await client.joinWaiting({ idempotencyKey, wish, firstName });
      if (!waiting) throw new Error('The answer holds no entry.');
      return waiting;
    },
    onSuccess: onJoined,
    onError: (error) => {
      const { lost, retryable } = describeError(error);
      if (!lost && !retryable) attempt.forget();
    },
  });
}
