/** "Can't make it?": moving and cancelling the sessions of a booking that are to come. */
import { useCallback, useEffect, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePracticeZone } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { Outcomes } from '../hooks/use-outcome';
import type { OwnNews } from '../hooks/use-own-bookings';
import { isMovable, notMovableWords } from '../move';
import { cancellableNumbers } from '../own-booking';
import { cancellingWords } from '../refund-words';
import { earlierPath } from '../wish';
import { LINK } from './booking-facts';
import { CancelDialog } from './cancel-dialog';

/** The calendar is large and rarely needed here, so its code is loaded when a session is to be moved. */
const moveDialog = lazyLoader(
  async () => (await importWithRetry(() => import('./move-dialog'))).MoveDialog,
);

type ChoiceProps = {
  booking: Booking;
  number: number;
  now: number;
  onMove: () => void;
  onCancel: () => void;
};

/** One session: whether it can be moved, and what comes back now, until when, and what after. */
function Choice({ booking, number, now, onMove, onCancel }: ChoiceProps) {
  const zone = usePracticeZone();
  const session = booking.sessions[number - 1];
  if (!session) return null;
  const several = booking.package !== undefined;
  const what = several ? `session ${number}` : 'this session';
  const fixed = notMovableWords(booking, session, now);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div>
        <p className="numeric">
          {several ? <span className="font-semibold">Session {number}: </span> : null}
          {cancellingWords(booking, session, zone, now)}
        </p>
        {fixed ? <p className="text-ink-2">{fixed}</p> : null}
      </div>
      <div className="flex flex-wrap gap-2">
        {isMovable(booking, session, now) ? (
          <Button variant="secondary" size="sm" onClick={onMove}>
            Move {what}
          </Button>
        ) : null}
        <Button variant="secondary" size="sm" onClick={onCancel}>
          Cancel {what}
        </Button>
      </div>
    </li>
  );
}

/** What is chosen, and of which session, from 1; 0 is for cancelling all to come. */
type Act = { name: 'move' | 'cancel'; number: number };

type ChangePartProps = {
  booking: Booking;
  now: number;
  outcomes: Outcomes;
  news: OwnNews;
  /** A session was moved; its number, from 1. */
  onMoved: (after: Booking, number: number) => void;
};

type DialogsProps = ChangePartProps & { act: Act; onAct: (act: Act | undefined) => void };

function Dialogs({ act, onAct, ...props }: DialogsProps) {
  const { booking, now, outcomes, news, onMoved } = props;
  const { name, number } = act;
  const close = useCallback(() => onAct(undefined), [onAct]);
  const cancellable = cancellableNumbers(booking, now).includes(number);
  const onStale = () => news.refresh(booking.bookingId);
  if (name === 'move') {
    return (
      <LazySection code={moveDialog} resting={null} missing="The free times could not be loaded">
        {(MoveDialog) => (
          <MoveDialog
            {...{ booking, now, onStale }}
            sessionNumber={number}
            onClose={close}
            onLearn={news.learn}
            onDone={(after) => {
              close();
              onMoved(after, number);
            }}
            onCancel={cancellable ? () => onAct({ name: 'cancel', number }) : undefined}
          />
        )}
      </LazySection>
    );
  }
  return (
    <CancelDialog
      {...{ booking, onStale }}
      sessionNumber={booking.package ? number : 0}
      onClose={close}
      onDone={(after, { refund }) => {
        close();
        outcomes.onBegun(after, refund);
      }}
    />
  );
}

export function ChangePart(props: ChangePartProps) {
  const { booking, now } = props;
  const [act, setAct] = useState<Act>();
  const numbers = cancellableNumbers(booking, now);
  const isPending = booking.pendingCancellation !== undefined;

  // It was begun after all, by an answer that was lost or on another page.
  useEffect(() => {
    if (isPending) setAct((before) => (before?.name === 'cancel' ? undefined : before));
  }, [isPending]);

  if (numbers.length === 0 && act === undefined) return null;
  const moves = booking.sessions.some((session) => isMovable(booking, session, now));
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Can't make it?</h2>
      <p>
        That happens. {moves ? 'Move the session, or cancel it' : 'Cancel here'}, and the time is
        free for someone else.
      </p>
      <ul className="flex flex-col divide-y divide-hairline">
        {numbers.map((number) => (
          <Choice
            key={number}
            {...{ booking, number, now }}
            onMove={() => setAct({ name: 'move', number })}
            onCancel={() => setAct({ name: 'cancel', number })}
          />
        ))}
      </ul>
      {numbers.length > 1 ? (
        <Button
          variant="secondary"
          className="self-start"
          onClick={() => setAct({ name: 'cancel', number: 0 })}
        >
          Cancel all sessions to come
        </Button>
      ) : null}
      {moves && !booking.package ? (
        <AppLink to={earlierPath(booking.bookingId)} className={LINK}>
          Tell me if an earlier time becomes free
        </AppLink>
      ) : null}
      <AppLink to={`/cancellation-policy?b=${booking.bookingId}`} className={LINK}>
        How cancelling works
      </AppLink>
      {act ? <Dialogs {...props} act={act} onAct={setAct} /> : null}
    </Card>
  );
}
