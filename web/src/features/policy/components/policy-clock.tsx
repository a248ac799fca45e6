import { LazySection } from '@/components/lazy-section';
import { PolicyTiers } from '@/components/policy-tiers';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice, useService } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import { HOUR_MS } from '../countdown';
import type { Asked } from '../hooks/use-asked';
import { Countdown } from './countdown';
import { CountdownSkeleton } from './countdown-skeleton';

/** Asks the server, for which most readers have no use. */
const bookingCountdown = lazyLoader(
  async () => (await importWithRetry(() => import('./booking-countdown'))).BookingCountdown,
);

/** The rule itself, where no booking is asked about. */
function Rule({ unreadable }: { unreadable?: boolean }) {
  const { cancellationHours, cancellationPolicy } = usePractice();
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <p className="grid aspect-square w-full max-w-52 place-content-center rounded-full border-6 border-brand-soft">
        <span className="font-display text-h1 font-semibold text-brand numeric">
          {cancellationHours}
        </span>
        <span className="text-sm text-ink-2">hours before it starts</span>
      </p>
      <p className="text-ink-2">
        {unreadable
          ? 'We could not read the time in this link, so there is no countdown. The policy below still holds.'
          : 'You can cancel a session until then. Open your booking to see your own deadline.'}
      </p>
      <div className="text-left text-ink-2">
        <PolicyTiers policy={cancellationPolicy} />
      </div>
    </div>
  );
}

/** The booking was made then, and the window is open for so many hours from there. */
function FromTime({ bookedAt, serviceId }: { bookedAt: Date; serviceId: string }) {
  const { cancellationHours } = usePractice();
  const service = useService(serviceId);
  const until = new Date(bookedAt.getTime() + cancellationHours * HOUR_MS);
  return <Countdown until={until} hours={cancellationHours} service={service?.title ?? ''} />;
}

function Face({ asked }: { asked: Asked }) {
  switch (asked.kind) {
    case 'booking':
      return (
        <LazySection
          code={bookingCountdown}
          resting={<CountdownSkeleton />}
          missing="Your booking could not be looked up"
        >
          {(BookingCountdown) => <BookingCountdown bookingId={asked.bookingId} />}
        </LazySection>
      );
    case 'time':
      return <FromTime bookedAt={asked.bookedAt} serviceId={asked.serviceId} />;
    default:
      return <Rule unreadable={asked.kind === 'unreadable'} />;
  }
}

/** Every variant has the same height, so that nothing moves when the page has read its address. */
export function PolicyClock({ asked }: { asked: Asked }) {
  return (
    <div className="grid min-h-[32rem] place-content-center place-items-center rounded-panel border border-hairline bg-surface p-6 shadow-soft sm:min-h-[28rem] sm:p-8">
      <Face asked={asked} />
    </div>
  );
}
