import { useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { staysWords } from '../move';
import { shortTime } from '../refund-words';

/** A session, from 1, and when it starts since it was moved here. */
export type Moved = { number: number; at: Date };

type MovedNoticeProps = { booking: Booking; moved: Moved };

/** That a session has another time now. It takes the focus of the button that was pressed and is gone. */
export function MovedNotice({ booking, moved }: MovedNoticeProps) {
  const zone = usePracticeZone();
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when it was moved once more.
  useEffect(() => frame.current?.focus(), [moved]);
  const what = booking.package ? `Session ${moved.number} was moved` : 'Moved';
  return (
    <div ref={frame} tabIndex={-1} className="scroll-mt-24">
      <Alert tone="ok" live title={`${what} to ${shortTime(moved.at, zone)}`}>
        {staysWords(booking)} We write the new time to your e-mail address.
      </Alert>
    </div>
  );
}
