/** Choosing the dates of a package at /book; loaded when a package is looked at. */
import { type FormEvent, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Button } from '@/components/ui/button';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { UrlMoves } from '@/lib/use-url-state';
import { PackageCalendar } from '../../shared/components/package-calendar';
import { askForTimes } from '../../shared/hooks/use-take-time';
import { datesMissing, startsOfPackage } from '../../shared/package-dates';
import type { RefusedTimes } from '../../shared/refused-times';
import type { BookUrl } from '../book-url';
import { readHeldAnywhere } from '../held-anywhere';

/** Only a client who holds a time needs it. */
const heldStarts = lazyLoader(
  async () => (await importWithRetry(() => import('./held-starts'))).HeldStarts,
);

type PackageTimesProps = {
  offer: Package;
  serviceId: string;
  /** Empty for anyone. */
  practitionerId: string;
  moves: UrlMoves<BookUrl>;
  /** What a later step could not hold. */
  refused: RefusedTimes | undefined;
};

type DatesFormProps = PackageTimesProps & {
  /** The starts that this client holds already. */
  own: readonly string[];
};

function DatesForm({ own, ...props }: DatesFormProps) {
  const { offer, serviceId, practitionerId, moves, refused } = props;
  const { url, push } = moves;
  const zone = usePracticeZone();
  const { holdMinutes } = usePractice();
  const [tried, setTried] = useState(false);
  const missing = startsOfPackage(url.slots, offer, zone).length === 0;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (missing) {
      askForTimes(datesMissing(offer));
      return;
    }
    push({ serviceId, date: '', cancelled: false, returned: false, step: 'calendar-terms' });
  }

  return (
    <form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-5">
      <PackageCalendar
        offer={offer}
        serviceId={serviceId}
        practitionerId={practitionerId}
        moves={moves}
        own={own}
        refused={refused}
        showOwnTime
        error={tried ? datesMissing(offer) : undefined}
      />
      <div>
        <Button type="submit" size="lg" className="max-sm:w-full">
          Continue with These Dates
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        All times are in {zone.label} ({zone.timeZone}). Browsing doesn't reserve a time. We'll hold
        yours{holdMinutes > 0 ? ` for at least ${holdMinutes} minutes` : ''} when you go to payment.
      </p>
    </form>
  );
}

/** The dates with their free times. What this client holds already is not taken for someone else's. */
export function PackageTimes(props: PackageTimesProps) {
  const { serviceId, practitionerId, moves } = props;
  const { status, user } = useAuth();
  const [bookingId] = useState(readHeldAnywhere);
  const form = (own: readonly string[]) => <DatesForm {...props} own={own} />;
  if (!bookingId || status === 'signed-out') return form([]);
  // Until it is known what is held, no chosen time counts as lost.
  const pending = moves.url.slots;
  if (!user) return form(pending);
  return (
    <LazySection
      code={heldStarts}
      resting={form(pending)}
      missing="Your held times could not be read"
    >
      {(HeldStarts) => (
        <HeldStarts
          bookingId={bookingId}
          userId={user.id}
          serviceId={serviceId}
          practitionerId={practitionerId}
          pending={pending}
        >
          {form}
        </HeldStarts>
      )}
    </LazySection>
  );
}
