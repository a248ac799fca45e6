/**
 * Cancelling in two presses: the first asks what would come back, the second does it for no less than
 * what was shown. A decision keeps its key until it is answered, so that a lost answer is asked for
 * again and nothing is cancelled twice.
 */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type Booking,
  BookingService,
  type PreviewOwnCancellationResponse,
} from '@/gen/booking/v1/booking_service_pb';
import { deviceMs } from '@/lib/clock';
import { describeError } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';

/** What was shown longer ago is asked for once more before it is done. */
const FRESH_MS = 10_000;

/** What was shown, and the key under which it is done. */
type Decision = {
  idempotencyKey: string;
  expectedVersion: bigint;
  shown: PreviewOwnCancellationResponse;
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
  error: unknown;
  /** The command was sent, and no answer says whether it was done. */
  isLost: boolean;
  busy: boolean;
  /** Asks what would come back. */
  ask: () => void;
  confirm: () => void;
};

function isSame(one: PreviewOwnCancellationResponse, other: PreviewOwnCancellationResponse) {
  return one.refund?.minorUnits === other.refund?.minorUnits && one.atOnce === other.atOnce;
}

/** The two calls of a cancellation. */
function useCalls({ booking, sessionNumber }: CancellingProps) {
  const transport = useTransport();
  const { bookingId, version } = booking;
  const client = createClient(BookingService, transport);

  async function decide(): Promise<Decision> {
    const shown = await client.previewOwnCancellation({ bookingId, sessionNumber });
    return {
      idempotencyKey: randomKey(),
      expectedVersion: version,
      shown,
      shownAtMs: deviceMs(),
      sent: false,
    };
  }

  async function send({ idempotencyKey, expectedVersion, shown }: Decision): Promise<Booking> {
    const { booking: after } = await client.cancelOwnBooking({
      idempotencyKey,
      bookingId,
      sessionNumber,
      expectedVersion,
      ...(shown.refund && { shownRefund: shown.refund }),
    });
    if (!after) throw new Error('The answer holds no booking.');
    return after;
  }

  return { decide, send };
}

export function useCancelling(props: CancellingProps): Cancelling {
  const [decision, setDecision] = useState<Decision>();
  const [before, setBefore] = useState<PreviewOwnCancellationResponse>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(true);
  const { decide, send } = useCalls(props);

  /** Runs one step; what it ends with is shown. */
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

  async function showAnew(last: Decision | undefined): Promise<Decision> {
    const next = await decide();
    if (last && isSame(last.shown, next.shown)) {
      const same = { ...last, shownAtMs: next.shownAtMs };
      setDecision(same);
      return same;
    }
    setBefore(last?.shown);
    setDecision(next);
    return next;
  }

  async function sendNow(chosen: Decision): Promise<void> {
    setDecision({ ...chosen, sent: true });
    try {
      props.onDone(await send(chosen), chosen.shown);
    } catch (cause) {
      const { reason, lost, retryable } = describeError(cause);
      if (reason === 'REFUND_FELL') {
        // Nothing was done under this key, and what is shown next is another decision.
        const refused = { ...chosen, idempotencyKey: randomKey(), sent: false };
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

  async function confirm(): Promise<void> {
    if (!decision || busy) return;
    const isOld = !decision.sent && deviceMs() - decision.shownAtMs > FRESH_MS;
    await run(async () => {
      const chosen = isOld ? await showAnew(decision) : decision;
      if (isSame(chosen.shown, decision.shown)) await sendNow(chosen);
    });
  }

  const latest = useRef(() => {});
  latest.current = () => void run(async () => void (await showAnew(decision)));
  const ask = useCallback(() => latest.current(), []);
  useEffect(ask, [ask]);

  const isLost = error !== undefined && decision?.sent === true;
  const press = () => void confirm();
  return { shown: decision?.shown, before, error, isLost, busy, ask, confirm: press };
}
