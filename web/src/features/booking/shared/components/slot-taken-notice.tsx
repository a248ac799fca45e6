import { useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { formatShortDate, formatTime, localDate } from '@/lib/time';
import type { Schedule } from '../hooks/use-schedule';

type LostTimeProps = { schedule: Schedule; onTake: (instant: string) => void };

/** Says at once that the chosen time is gone, and offers the closest ones. */
export function SlotTakenNotice({ schedule, onTake }: LostTimeProps) {
  const { lost, zone } = schedule;
  const ref = useRef<HTMLDivElement>(null);
  const refusedAt = lost?.refused ? lost.at.getTime() : undefined;
  // A refused press of the button below moves the focus here. Typing never loses the focus.
  useEffect(() => {
    if (refusedAt !== undefined) ref.current?.focus();
  }, [refusedAt]);
  if (!lost) return null;
  const gone = `${formatShortDate(lost.at, zone)}, ${formatTime(lost.at, zone)}`;
  // The day is named only if it differs.
  const day = localDate(lost.at, zone.timeZone);
  const shortest = (at: Date) =>
    localDate(at, zone.timeZone) === day
      ? formatTime(at, zone)
      : `${formatShortDate(at, zone)}, ${formatTime(at, zone)}`;
  const passed = lost.reason === 'SLOT_PAST';
  return (
    <div ref={ref} tabIndex={-1} className="rounded-card">
      <Alert
        tone="warn"
        live
        title={passed ? `${gone} is too soon now` : `${gone} was just taken`}
        action={lost.suggestions.map((start) => (
          <Button
            key={start.instant}
            variant="secondary"
            size="sm"
            onClick={() => onTake(start.instant)}
          >
            {shortest(start.at)}
          </Button>
        ))}
      >
        {passed ? '' : 'It was booked moments before you. '}Your details are still here.{' '}
        {lost.suggestions.length > 0 ? 'Nearby times:' : 'Please choose another day or time.'}
      </Alert>
    </div>
  );
}
