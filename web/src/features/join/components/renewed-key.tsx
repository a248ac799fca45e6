/** A key whose page has a newer one: the newest mail leads on, or another one that is asked for. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { forgetJoinKey } from '../join-key';

export function RenewedKey({ joinKey, call }: { joinKey: string; call: ReactNode }) {
  const transport = useTransport();
  const renew = useMutation({
    mutationFn: () =>
      createClient(PaymentPageService, transport).renewPageKey({ pageKey: joinKey }),
    onSuccess: forgetJoinKey,
  });
  if (renew.isSuccess) {
    return (
      <Alert tone="ok" live title="Please look into your mail" action={call}>
        If the booking is still there, a new link is on its way to the address that we have. It can
        take some minutes.
      </Alert>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Alert
        tone="warn"
        live
        title="This link has ended"
        action={
          <>
            <Button
              size="sm"
              busy={renew.isPending}
              busyText="Asking for it…"
              onClick={() => renew.mutate()}
            >
              Mail Me a New Link
            </Button>
            {call}
          </>
        }
      >
        A later mail from us has a new one: please open the newest. We can also mail you another, to
        the address that the booking has.
      </Alert>
      {renew.error ? <ErrorNotice error={renew.error} onRetry={() => renew.mutate()} /> : null}
    </div>
  );
}
