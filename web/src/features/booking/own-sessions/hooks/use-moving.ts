/**
 * Moving a session to a time that was chosen. A choice keeps its key until it is answered, so that a
 * lost answer is asked for again and nothing is moved twice.
 */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { useEffect, useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { describeError } from '@/lib/errors';
import { toInstant } from '@/lib/instant';
import { useAttemptKey } from '../../shared/hooks/use-attempt-key';
import { calledNumber, endedTitle, isTimeRefused, startOf } from '../move';
import { asksForCode, pageCodeProblem } from '../page-code';
import { useSessionPort } from '../session-port';

type MovingProps = {
  booking: Booking;
  /** From 1. */
  sessionNumber: number;
  onDone: (after: Booking) => void;
  /** The time can't be had; another one can. */
  onRefused: (instant: string, reason: string) => void;
  /** What the booking is now, where it is not what was shown. */
  onLearn: (booking: Booking) => void;
  /** The booking is no longer what the page shows, or may not be. */
  onStale: () => void;
};

export type Moving = {
  /** The reason for which the session can't be moved at all, or empty. */
  ended: string;
  error: unknown;
  /** The command was sent, and no answer says whether it was done. */
  isLost: boolean;
  busy: boolean;
  /** A code by mail is needed after all. */
  codeAsked: boolean;
  /** Moves the session to a start, with the digits of the mail where they are needed. */
  move: (instant: string, code: string) => void;
  /** Another time is looked at: what was said of the last one is over. */
  forget: () => void;
};

type Choice = { instant: string; code: string };

/** The two calls of a move. */
function useCalls({ booking, sessionNumber: number }: MovingProps) {
  const port = useSessionPort();
  const sessionNumber = calledNumber(booking, number);
  return {
    read: () => port.read(booking),
    send: (idempotencyKey: string, from: Date, { instant, code }: Choice) =>
      port.move(booking, {
        idempotencyKey,
        sessionNumber,
        shownStartsAt: timestampFromDate(from),
        startsAt: timestampFromDate(new Date(instant)),
        code,
      }),
  };
}

/** The start that was asked for without an answer; a later look at the booking may find it done. */
function useLost({ booking, sessionNumber, onDone }: MovingProps) {
  const [lost, setLost] = useState('');
  const from = startOf(booking, sessionNumber);
  const now = from ? toInstant(from) : '';
  useEffect(() => {
    if (!lost || lost !== now) return;
    setLost('');
    onDone(booking);
  }, [lost, now, onDone, booking]);
  return [lost, setLost] as const;
}

export function useMoving(props: MovingProps): Moving {
  const { booking, sessionNumber, onDone } = props;
  const [ended, setEnded] = useState('');
  const [error, setError] = useState<unknown>();
  const [lost, setLost] = useLost(props);
  const [busy, setBusy] = useState(false);
  const [codeAsked, setCodeAsked] = useState(false);
  const attempt = useAttemptKey();
  const { read, send } = useCalls(props);
  const from = startOf(booking, sessionNumber);
  const now = from ? toInstant(from) : '';

  /** What the refusal, or the lack of an answer, means for this page. */
  async function refuse(instant: string, cause: unknown): Promise<void> {
    const { reason, lost: isUnheard, retryable } = describeError(cause);
    const isKnown =
      isTimeRefused(reason) || endedTitle(reason) !== '' || reason === 'CHANGED_SINCE';
    if (!isKnown && (isUnheard || retryable)) {
      setLost(instant);
      props.onStale();
      throw cause;
    }
    attempt.forget();
    if (pageCodeProblem(cause)) {
      setCodeAsked((before) => before || asksForCode(cause));
      throw cause;
    }
    if (isTimeRefused(reason)) {
      props.onRefused(instant, reason);
      return;
    }
    if (reason === 'CHANGED_SINCE') {
      props.onLearn(await read());
      return;
    }
    props.onStale();
    if (!endedTitle(reason)) throw cause;
    setEnded(reason);
  }

  async function move(choice: Choice): Promise<void> {
    const { instant } = choice;
    if (!from || busy) return;
    setBusy(true);
    setError(undefined);
    setLost('');
    try {
      const after = await send(attempt.keyOf(`${now} ${instant}`), from, choice).catch(
        (cause: unknown) => refuse(instant, cause),
      );
      if (after) onDone(after);
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  }

  return {
    ended,
    error,
    isLost: error !== undefined && lost !== '',
    busy,
    codeAsked,
    move: (instant, code) => void move({ instant, code }),
    forget: () => setError(undefined),
  };
}
