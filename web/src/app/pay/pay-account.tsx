import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { LazySection } from '@/components/lazy-section';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Skeleton } from '@/components/ui/skeleton';
import { accountPath } from '@/features/account/return-path';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import { type AuthUser, useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';

const LINK = 'text-brand underline underline-offset-4';
const BACK = '/pay/booking';

const proveAddress = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/account/components/prove-address')))
      .ProveAddress,
);

type PayAccountProps = { page: PaymentPage; refetch: () => void };

/** Hands the booking over to the signed-in account, whose address may have to be proved first. */
function Adopt({ page, refetch, user }: PayAccountProps & { user: AuthUser }) {
  const transport = useTransport();
  const adopt = useMutation({
    mutationFn: () => createClient(BookingService, transport).adoptBookings({}),
    onSuccess: refetch,
  });
  if (adopt.data && !adopt.data.bookingIds.includes(page.bookingId)) {
    return (
      <div className="flex flex-col gap-4">
        <Alert title="Please confirm your address">
          The booking belongs to the account whose address is the one that we wrote to.
        </Alert>
        <LazySection
          code={proveAddress}
          resting={<Skeleton className="h-48 rounded-card" />}
          missing="Your email could not be confirmed"
        >
          {(ProveAddress) => (
            <ProveAddress
              email={user.email}
              why="With it, bookings that we made for you on the phone belong to your account."
              onProved={() => adopt.mutate()}
            />
          )}
        </LazySection>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <Button
        variant="secondary"
        size="sm"
        className="self-start"
        busy={adopt.isPending}
        busyText="Adding it…"
        onClick={() => adopt.mutate()}
      >
        Add It to My Account
      </Button>
      {adopt.error ? <ErrorNotice error={adopt.error} onRetry={() => adopt.mutate()} /> : null}
    </div>
  );
}

/** Where an account finds the booking, and how it comes there. */
export function PayAccount({ page, refetch }: PayAccountProps) {
  const { user } = useAuth();
  if (user) return <Adopt page={page} refetch={refetch} user={user} />;
  return (
    <p className="text-sm text-ink-2">
      You don't need an account. Sign in with this email to see this booking and its receipt any
      time.{' '}
      <AppLink to={accountPath('/sign-up', BACK)} className={LINK}>
        Create an account
      </AppLink>{' '}
      or{' '}
      <AppLink to={accountPath('/sign-in', BACK)} className={LINK}>
        sign in
      </AppLink>
      .
    </p>
  );
}
