/** A key that opens nothing any more: an account, a new link by mail, or a call leads on. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { accountPath } from '@/features/account/return-path';
import { OWN_SESSIONS } from '@/features/booking/own-sessions/own-booking';
import { PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { useAuth } from '@/lib/auth';
import { usePractice } from '@/lib/practice';
import { forgetPage } from './page-key';

export type PageEnd = 'PAGE_KEY_ENDED' | 'PAGE_OVER' | 'BOOKING_ADOPTED';

/** Why a page shows nothing any more; nothing for another refusal. */
export function pageEndOf(reason: string): PageEnd | undefined {
  switch (reason) {
    case 'PAGE_KEY_ENDED':
    case 'PAGE_OVER':
    case 'BOOKING_ADOPTED':
      return reason;
    default:
      return undefined;
  }
}

function Renew({ pageKey }: { pageKey: string }) {
  const transport = useTransport();
  const renew = useMutation({
    mutationFn: () => createClient(PaymentPageService, transport).renewPageKey({ pageKey }),
    onSuccess: forgetPage,
  });
  if (renew.isSuccess) {
    return (
      <Alert tone="ok" live title="Please look into your mail">
        If the page is still there, a new link is on its way to the address that we have. It can
        take some minutes.
      </Alert>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Alert
        tone="warn"
        title="This link has ended"
        action={
          <Button
            size="sm"
            busy={renew.isPending}
            busyText="Asking for it…"
            onClick={() => renew.mutate()}
          >
            Mail Me a New Link
          </Button>
        }
      >
        A later mail from us has a new one. We can also mail you another, to the address that the
        booking has.
      </Alert>
      {renew.error ? <ErrorNotice error={renew.error} onRetry={() => renew.mutate()} /> : null}
    </div>
  );
}

/** The mails of a booking that an account has made lead here: its client finds it there as well. */
const OF_ACCOUNT = '/session';

/** The money is settled since long ago. */
function Over() {
  const { phone } = usePractice();
  const { user } = useAuth();
  const isOfAccount = useLocation().pathname === OF_ACCOUNT;
  const call = (
    <Button href={`tel:${phone}`} size="sm" variant={isOfAccount ? 'secondary' : 'primary'}>
      Call us
    </Button>
  );
  if (!isOfAccount) {
    return (
      <Alert tone="warn" title="The page of this booking has ended" action={call}>
        Its money was settled some time ago. Please write to us or call us about it.
      </Alert>
    );
  }
  return (
    <Alert
      tone="warn"
      title="The page of this booking has ended"
      action={
        <>
          <Button to={user ? OWN_SESSIONS : accountPath('/sign-in', OWN_SESSIONS)} size="sm">
            See It in Your Account
          </Button>
          {call}
        </>
      }
    >
      Its money was settled some time ago. Your account still has the session and its receipt.
    </Alert>
  );
}

export function PageEnded({
  pageKey,
  end,
  bookingId,
}: {
  pageKey: string;
  end: PageEnd;
  /** Known where the page was shown before. */
  bookingId?: string | undefined;
}) {
  const { user } = useAuth();
  useEffect(() => {
    if (end !== 'PAGE_KEY_ENDED') forgetPage();
  }, [end]);
  switch (end) {
    case 'PAGE_KEY_ENDED':
      return <Renew pageKey={pageKey} />;
    case 'BOOKING_ADOPTED': {
      const place = bookingId ? `/booking-flow?step=confirmed&b=${bookingId}` : OWN_SESSIONS;
      return (
        <Alert
          tone="info"
          title="This booking belongs to an account"
          action={
            <Button to={user ? place : accountPath('/sign-in', place)} size="sm">
              See It in Your Account
            </Button>
          }
        >
          The links in our mails before that open nothing any more. Sign in to see the booking.
        </Alert>
      );
    }
    case 'PAGE_OVER':
      return <Over />;
  }
}
