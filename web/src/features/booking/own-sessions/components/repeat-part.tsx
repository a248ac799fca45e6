import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { formatShortDate, formatTime } from '@/lib/time';
import { isLive } from '../../shared/booking-state';
import { useSlots } from '../../shared/hooks/use-slots';
import { againPath } from '../own-booking';
import { type Repeat, repeatPath, repeatRange, repeatsOf } from '../repeat';

const LABEL: Record<Repeat['weeks'], string> = {
  0: 'This time again',
  1: 'Next week',
  2: 'In two weeks',
  4: 'In four weeks',
};

function labelOf({ weeks, sameTime }: Repeat): string {
  return sameTime || weeks === 0 ? LABEL[weeks] : `${LABEL[weeks]}, near that time`;
}

type RepeatPartProps = { booking: Booking; now: number };

/** The same session again: free times in one, two and four weeks, one press each. */
export function RepeatPart({ booking, now }: RepeatPartProps) {
  const zone = usePracticeZone();
  const range = isLive(booking) ? undefined : repeatRange(booking, zone, now);
  const { data, isError } = useSlots(range);
  const path = againPath(booking);
  if (isLive(booking) || !path) return null;
  const repeats = data ? repeatsOf(booking, data.days, { zone, now }) : [];
  const waits = range !== undefined && !data && !isError;
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Book again</h2>
      {waits ? <Skeleton className="h-32 w-full" /> : null}
      {repeats.length > 0 ? (
        <ul className="flex flex-col divide-y divide-hairline">
          {repeats.map((repeat) => (
            <li
              key={repeat.start.instant}
              className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3"
            >
              <p>
                {labelOf(repeat)}:{' '}
                <strong className="numeric">
                  {formatShortDate(repeat.start.at, zone)}, {formatTime(repeat.start.at, zone)}
                </strong>
              </p>
              <Button to={repeatPath(booking, repeat.start)} variant="secondary" size="sm">
                <span>
                  Book<span className="sr-only"> {formatShortDate(repeat.start.at, zone)}</span>
                </span>
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <Button to={path} variant="secondary" className="self-start">
        {booking.package ? 'Book this package again' : 'Choose another time'}
      </Button>
    </Card>
  );
}
