import { useEffect, useRef } from 'react';
import { chosenPractitioner } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { usePracticeZone, useService } from '@/lib/practice';
import { formatDateTime, formatShortDate, formatTime, localDate } from '@/lib/time';
import type { UrlMoves } from '@/lib/use-url-state';
import { useSlots } from '../../shared/hooks/use-slots';
import type { RefusedTimes } from '../../shared/refused-times';
import { nearestFree } from '../../shared/slots';
import type { BookUrl } from '../book-url';

/** Around the lost time are the days that a client would choose from first. */
const DAYS = 3;
const SUGGESTIONS = 3;

type LostNoticeProps = { lost: RefusedTimes; moves: UrlMoves<BookUrl> };

/** A notice takes the focus after the heading of the view, which has it first. */
function useLateFocus() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const frame = requestAnimationFrame(() => ref.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return ref;
}

/** The day decides: what was scheduled in the provider's widget is cancelled there. */
function ScheduledNotice({ why }: { why: string }) {
  const ref = useLateFocus();
  return (
    <div ref={ref} tabIndex={-1} className="rounded-card">
      <Alert tone="warn" live title={`Failed to create booking: ${why}`}>
        The appointment that you chose is cancelled, and nothing was charged. Your details are
        saved. Please choose another time below.
      </Alert>
    </div>
  );
}

/** Says at once that the chosen time is gone, and what comes next. */
export function LostNotice({ lost, moves }: LostNoticeProps) {
  const { scheduled } = lost;
  return scheduled ? <ScheduledNotice why={scheduled} /> : <NearTimes lost={lost} moves={moves} />;
}

/** Offers the closest times. */
function NearTimes({ lost, moves }: LostNoticeProps) {
  const zone = usePracticeZone();
  const ref = useLateFocus();
  const { serviceId, practitioner } = moves.url;
  const all = useService(serviceId)?.practitioners ?? [];
  const practitionerId = chosenPractitioner(all, practitioner);
  const at = new Date(lost.starts[0] ?? '');
  const fromDate = localDate(at, zone.timeZone);
  const { data } = useSlots({
    serviceId,
    fromDate,
    days: DAYS,
    ...(practitionerId && { practitionerId }),
  });
  const near = nearestFree(data?.days ?? [], at, SUGGESTIONS);
  const passed = lost.reason === 'SLOT_PAST';
  const when = formatDateTime(at, zone);
  return (
    <div ref={ref} tabIndex={-1} className="rounded-card">
      <Alert
        tone="warn"
        live
        title={passed ? `${when} is too soon now` : `${when} was just taken`}
        action={near.map((start) => (
          <Button
            key={start.instant}
            variant="secondary"
            size="sm"
            onClick={() => moves.push({ slot: start.instant, step: 'calendar-terms' })}
          >
            {formatShortDate(start.at, zone)}, {formatTime(start.at, zone)}
          </Button>
        ))}
      >
        {passed ? '' : 'It was booked moments before you. '}Your details are still here.{' '}
        {near.length > 0 ? 'Nearby times:' : 'Please choose another time below.'}
      </Alert>
    </div>
  );
}
