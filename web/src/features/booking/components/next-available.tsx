import { Button } from '@/components/ui/button';
import { formatShortDate, formatTime } from '@/lib/time';
import { toInstant } from '../flow-url';
import type { Schedule } from '../hooks/use-schedule';

/** The earliest free time, one press away. */
export function NextAvailable({ schedule, chosen }: { schedule: Schedule; chosen: string }) {
  const { nextAvailableAt, zone, chooseTime, days } = schedule;
  if (!nextAvailableAt) {
    if (!days) return <div className="h-12" />;
    return <p className="text-ink-2">All times of the coming weeks are taken just now.</p>;
  }
  const instant = toInstant(nextAvailableAt);
  const words = `${formatShortDate(nextAvailableAt, zone)}, ${formatTime(nextAvailableAt, zone)}`;
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-2">
      <p>
        Next available: <strong className="numeric">{words}</strong>
      </p>
      {instant === chosen ? null : (
        <Button variant="secondary" size="sm" onClick={() => chooseTime(instant)}>
          Take this time
        </Button>
      )}
    </div>
  );
}
