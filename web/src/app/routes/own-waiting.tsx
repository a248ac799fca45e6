/** /account/waiting: joining the list may need the proof that the account's address is the client's. */
import { LazySection } from '@/components/lazy-section';
import { Skeleton } from '@/components/ui/skeleton';
import { OwnWaitingPage } from '@/features/booking/own-sessions/components/own-waiting-page';
import { useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';

/** Most addresses are proved by then. */
const proveAddress = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/account/components/prove-address')))
      .ProveAddress,
);

export default function OwnWaitingRoute() {
  const { user } = useAuth();
  return (
    <OwnWaitingPage
      proof={(onProved) => (
        <LazySection
          code={proveAddress}
          resting={<Skeleton className="h-48 rounded-card" />}
          missing="Your email could not be confirmed"
        >
          {(ProveAddress) => (
            <ProveAddress
              email={user?.email ?? ''}
              why="A time that becomes free is offered to you by e-mail."
              onProved={onProved}
            />
          )}
        </LazySection>
      )}
    />
  );
}
