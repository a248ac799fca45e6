import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { formatShortDate, formatTime } from '@/lib/time';
import type { Schedule } from '../hooks/use-schedule';

/** Says at once that the chosen time is gone, and offers the closest ones. */
export function LostTime({ schedule }: { schedule: Schedule }) {
  const { lost, zone, chooseTime } = schedule;
  if (!lost) return null;
  const gone = `${formatShortDate(lost.at, zone)}, ${formatTime(lost.at, zone)}`;
  const passed = lost.reason === 'SLOT_PAST';
  return (
    <Alert
      tone="warn"
      live
      title={passed ? `${gone} is too soon now` : `${gone} was just taken`}
      action={lost.suggestions.map((start) => (
        <Button
          key={start.instant}
          variant="secondary"
          size="sm"
          onClick={() => chooseTime(start.instant)}
        >
          {formatShortDate(start.at, zone)}, {formatTime(start.at, zone)}
        </Button>
      ))}
    >
      {passed ? '' : 'Somebody was a moment faster. '}Everything you typed is still here.{' '}
      {lost.suggestions.length > 0
        ? 'These times are close to it:'
        : 'Please choose another day or time.'}
    </Alert>
  );
}
