import { LazySection } from '@/components/lazy-section';
import { Skeleton } from '@/components/ui/skeleton';
import { ScheduleStep } from '@/features/booking/booking-flow/components/schedule-step';
import type { Flow } from '@/features/booking/booking-flow/hooks/use-flow';
import { useHeld } from '@/features/booking/shared/hooks/use-held';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';

/** A free session needs it once, and no other session does. */
const proveAddress = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/account/components/prove-address')))
      .ProveAddress,
);

/** The calendar step, which knows the time that this tab may be holding already. */
export function ScheduleScreen({ flow, service }: { flow: Flow; service: Service }) {
  const { moves, draft, user, reading } = flow;
  const held = useHeld(user?.id);
  return (
    <ScheduleStep
      service={service}
      moves={moves}
      draft={draft}
      held={held.booking}
      heldPending={held.isPending}
      userId={user?.id}
      onHeld={(booking) => {
        reading.learn(booking);
        moves.push({ step: 'payment', bookingId: booking.bookingId });
      }}
      onBack={() => moves.push({ step: 'auth' })}
      proof={(onProved) => (
        <LazySection
          code={proveAddress}
          resting={<Skeleton className="h-48 rounded-card" />}
          missing="Your email could not be confirmed"
        >
          {(ProveAddress) => <ProveAddress email={user?.email ?? ''} onProved={onProved} />}
        </LazySection>
      )}
    />
  );
}
