/** What a page has to say of a cancellation that began, was undone or took effect while it was shown. */
import { useEffect, useRef, useState } from 'react';
import { type Booking, BookingState } from '@/gen/booking/v1/booking_service_pb';
import type { Money } from '@/gen/common/v1/money_pb';
import type { OwnNews } from './use-own-bookings';

export type Outcome =
  /** It was asked for here and can be undone. */
  | { name: 'begun' }
  | { name: 'undone' }
  /** It took effect; `late` where Undo was pressed too late. */
  | { name: 'done'; refund: Money | undefined; late: boolean };

export type Outcomes = {
  outcome: Outcome | undefined;
  onBegun: (after: Booking, refund: Money | undefined) => void;
  onUndone: (after: Booking) => void;
  onLate: () => void;
  /** Something later is said in its place. */
  forget: () => void;
  /** Undo was pressed, and its answer was lost. */
  onUnheard: () => void;
};

export function useOutcome(booking: Booking, news: OwnNews): Outcomes {
  const [outcome, setOutcome] = useState<Outcome>();
  const pending = booking.pendingCancellation;
  const last = useRef(pending);
  const press = useRef<'undone' | 'too late' | 'unheard'>(undefined);

  // A cancellation that is gone without an undo of this page took effect, or another page has undone it.
  useEffect(() => {
    const before = last.current;
    last.current = pending;
    if (!before || pending) return;
    const { current: pressed } = press;
    press.current = undefined;
    if (pressed === 'undone') return;
    const { refund, sessionNumber } = before;
    const late = pressed === 'too late';
    if (isCancelled(booking, sessionNumber)) setOutcome({ name: 'done', refund, late });
    else if (pressed === 'unheard') setOutcome({ name: 'undone' });
  }, [booking, pending]);

  return {
    outcome,
    onBegun: (after, refund) => {
      const done: Outcome = { name: 'done', refund, late: false };
      setOutcome(after.pendingCancellation ? { name: 'begun' } : done);
      news.learn(after);
    },
    onUndone: (after) => {
      press.current = 'undone';
      setOutcome({ name: 'undone' });
      news.learn(after);
    },
    onLate: () => {
      press.current = 'too late';
      news.refresh(booking.bookingId);
    },
    forget: () => setOutcome(undefined),
    onUnheard: () => {
      press.current = 'unheard';
      news.refresh(booking.bookingId);
    },
  };
}

/** Whether the session is cancelled, or for 0 the whole booking. */
function isCancelled({ state, sessions }: Booking, number: number): boolean {
  if (state === BookingState.CANCELLED) return true;
  const all = sessions.filter((_, index) => number === 0 || index + 1 === number);
  return all.some(({ cancelled }) => cancelled);
}
