/**
 * Cancelling in two presses: the first asks what would come back, the second does it for no less than
 * what was shown. A decision keeps its key until it is answered, so that a lost answer is asked for
 * again and nothing is cancelled twice.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Booking, PreviewOwnCancellationResponse } from '@/gen/booking/v1/booking_service_pb';
import { deviceMs } from '@/lib/clock';
import { describeError } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';
import { asksForCode, pageCodeProblem } from '../page-code';
import { useSessionPort } from '../session-port';

/** What was shown longer ago is asked for once more before it is done. */
const FRESH_MS = 10_000;

/** What was shown, and the key under which it is done. */
type Decision = {
  idempotencyKey: string;
  expectedVersion: bigint;
  shown: PreviewOwnCancellationResponse;
  /** Whether a code by mail is needed for it. */
  codeNeeded: boolean;
  shownAtMs: number;
  /** It was sent, and its answer is not known. */
  sent: boolean;
};

type CancellingProps = {
  booking: Booking;
  /** From 1; 0 for all sessions to come. */
  sessionNumber: number;
  /** It is done, or begun: the booking says which. */
  onDone: (booking: Booking, shown: PreviewOwnCancellationResponse) => void;
  /** The booking is no longer what the page shows, or may not be. */
  onStale: () => void;
};

export type Cancelling = {
  /** What would come back; nothing until it is known. */
  shown: PreviewOwnCancellationResponse | undefined;
  /** What was shown before, where that was something else. */
  before: PreviewOwnCancellationResponse | undefined;
  /** Whether a code by mail is needed. */
  codeNeeded: boolean;
  error: unknown;
  /** The command was sent, and no answer says whether it was done. */
  isLost: boolean;
  busy: boolean;
  /** Asks what would come back. */
  ask: () => void;
  /** Does it, with the digits of the mail where they are needed. */
  confirm: (code: string) => void;
};

function isSame(one: PreviewOwnCancellationResponse, other: PreviewOwnCancellationResponse) {
  return one.refund?.minorUnits === other.refund?.minorUnits && one.atOnce === other.atOnce;
}

/** The two calls of a cancellation. */
function useCalls({ booking, sessionNumber }: CancellingProps) {
  const port = useSessionPort();

  async function decide(): Promise<Decision> {
    const { cancellation, codeNeeded } = await port.previewCancellation(booking, sessionNumber);
    return {
      idempotencyKey: randomKey(),
      expectedVersion: booking.version,
      shown: cancellation,
      codeNeeded,
      shownAtMs: deviceMs(),
      sent: false,
    };
  }

  function send(decision: Decision, code: string): Promise<Booking> {
    const { idempotencyKey, expectedVersion, shown } = decision;
    const shownRefund = shown.refund;
    return port.cancel(booking, {
      idempotencyKey,
      sessionNumber,
      expectedVersion,
      shownRefund,
      code,
    });
  }

  return { decide, send };
}

/** Runs one step after the other; what the last one ended with is shown. */
function useSteps() {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(true);
  async function run(step: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await step();
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  }
  return { run, error, busy };
}

export function useCancelling(props: CancellingProps): Cancelling {
  const [decision, setDecision] = useState<Decision>();
  const [before, setBefore] = useState<PreviewOwnCancellationResponse>();
  const { run, error, busy } = useSteps();
  const { decide, send } = useCalls(props);

  async function showAnew(last: Decision | undefined): Promise<Decision> {
    const next = await decide();
    if (last && isSame(last.shown, next.shown)) {
      const { codeNeeded, shownAtMs } = next;
      const same = { ...last, codeNeeded, shownAtMs };
      setDecision(same);
      return same;
    }
    setBefore(last?.shown);
    setDecision(next);
    return next;
  }

  async function sendNow(chosen: Decision, code: string): Promise<void> {
    setDecision({ ...chosen, sent: true });
    try {
      props.onDone(await send(chosen, code), chosen.shown);
    } catch (cause) {
      const { reason, lost, retryable } = describeError(cause);
      // Nothing was done under this key, and what comes next is another decision.
      const refused = { ...chosen, idempotencyKey: randomKey(), sent: false };
      if (pageCodeProblem(cause)) {
        setDecision({ ...refused, codeNeeded: chosen.codeNeeded || asksForCode(cause) });
        throw cause;
      }
      if (reason === 'REFUND_FELL') {
        setDecision(refused);
        const next = await showAnew(refused);
        if (!isSame(next.shown, refused.shown)) return;
        throw cause;
      }
      if (!lost && !retryable) setDecision({ ...chosen, sent: false });
      props.onStale();
      throw cause;
    }
  }

  async function confirm(code: string): Promise<void> {
    if (!decision || busy) return;
    const isOld = !decision.sent && deviceMs() - decision.shownAtMs > FRESH_MS;
    await run(async () => {
      const chosen = isOld ? await showAnew(decision) : decision;
      // It may need a code since it was shown, which is asked for first.
      const isReady = code !== '' || !chosen.codeNeeded;
      if (isReady && isSame(chosen.shown, decision.shown)) await sendNow(chosen, code);
    });
  }

  const latest = useRef(() => {});
  latest.current = () => void run(async () => void (await showAnew(decision)));
  const ask = useCallback(() => latest.current(), []);
  useEffect(ask, [ask]);

  const isLost = error !== undefined && decision?.sent === true;
  const press = (code: string) => void confirm(code);
  const codeNeeded = decision?.codeNeeded === true;
  return { shown: decision?.shown, before, codeNeeded, error, isLost, busy, ask, confirm: press };
}
