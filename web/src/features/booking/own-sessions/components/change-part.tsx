/** "Can't make it?": moving and cancelling the sessions of a booking that are to come. */
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { graceLine } from '@/lib/cancellation';
import { usePracticeZone } from '@/lib/practice';
import { isFree } from '../../shared/free-session';
import { isMovable, notMovableWords } from '../move';
import { cancellableNumbers } from '../own-booking';
import { isAskedToMove } from '../proposal';
import { cancellingWords } from '../refund-words';
import { useSessionPort } from '../session-port';
import { earlierPath } from '../wish';
import { ActDialogs, type ForActs, useAct } from './act-dialogs';
import { LINK } from './booking-facts';

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

/** Where it is said how cancelling works: of this booking, or for anyone. */
function policyPath({ bookingId }: Booking, ofAccount: boolean): string {
  return ofAccount ? `/cancellation-policy?b=${bookingId}` : '/cancellation-policy';
}

export function ChangePart(props: ForActs) {
  const { booking, now } = props;
  const [act, setAct] = useAct(booking);
  const { ofAccount } = useSessionPort();
  const cancellable = cancellableNumbers(booking, now);
  // What the practice asks about is asked elsewhere, with its own words and sums.
  const numbers = cancellable.filter((number) => !isAskedToMove(booking, number));
  if (numbers.length === 0 && act === undefined) return null;
  const moves = numbers.some((number) => {
    const session = booking.sessions[number - 1];
    return session !== undefined && isMovable(booking, session, now);
  });
  const grace = isFree(booking) ? '' : graceLine(booking.cancellationPolicy);
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
      {grace ? <p className="text-ink-2">{grace}.</p> : null}
      {cancellable.length > 1 ? (
        <Button
          variant="secondary"
          className="self-start"
          onClick={() => setAct({ name: 'cancel', number: 0 })}
        >
          Cancel all sessions to come
        </Button>
      ) : null}
      {moves && ofAccount && !booking.package ? (
        <AppLink to={earlierPath(booking.bookingId)} className={LINK}>
          Tell me if an earlier time becomes free
        </AppLink>
      ) : null}
      <AppLink to={policyPath(booking, ofAccount)} className={LINK}>
        How cancelling works
      </AppLink>
      {act ? <ActDialogs {...props} act={act} onAct={setAct} /> : null}
    </Card>
  );
}
