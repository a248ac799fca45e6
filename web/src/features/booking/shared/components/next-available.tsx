import { Button } from '@/components/ui/button';
import { toInstant } from '@/lib/instant';
import { formatShortDate, formatTime } from '@/lib/time';
import type { Schedule } from '../hooks/use-schedule';

type NextAvailableProps = {
  schedule: Schedule;
  chosen: string;
  onTake: (instant: string) => void;
};

/** The earliest free time, one press away. */
export function NextAvailable({ schedule, chosen, onTake }: NextAvailableProps) {
  const { nextAvailableAt, zone, days } = schedule;
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
        <Button variant="secondary" size="sm" onClick={() => onTake(instant)}>
          Take this time
        </Button>
      )}
    </div>
  );
}
