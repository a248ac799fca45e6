/** Moves one session: the free times of its practitioner by day, and a button that names the new one. */
import { useEffect, useRef, useState } from 'react';
import { OwnTime } from '@/components/own-time';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { errorReason } from '@/lib/errors';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { isOnline } from '../../shared/booking-state';
import { DayStrip } from '../../shared/components/day-strip';
import { MonthPicker } from '../../shared/components/month-picker';
import { NextAvailable } from '../../shared/components/next-available';
import { TimePicker } from '../../shared/components/time-picker';
import { useTakeTime } from '../../shared/hooks/use-take-time';
import { isFocusLost } from '../focus-lost';
import { useMoveTimes } from '../hooks/use-move-times';
import { useMoving } from '../hooks/use-moving';
import { usePageCode } from '../hooks/use-page-code';
import { endedTitle, movesWords, orderWords, startOf, staysWords } from '../move';
import { pageCodeProblem } from '../page-code';
import { chooseWords, isAskedToMove } from '../proposal';
import { shortTime } from '../refund-words';
import { ConfirmMove } from './confirm-move';
import { ChangedNotice, EndedNotice, MoveFailed, RefusedNotice } from './move-notices';

export type MoveDialogProps = {
  booking: Booking;
  /** From 1. */
  sessionNumber: number;
  now: number;
  onClose: () => void;
  onDone: (after: Booking) => void;
  /** A booking that a call has answered with. */
  onLearn: (booking: Booking) => void;
  onStale: () => void;
  /** Opens the cancellation in its place; nothing where it can't be cancelled. */
  onCancel: (() => void) | undefined;
};

type Times = ReturnType<typeof useMoveTimes>;

/** When it is, and until when and how often that can be changed. */
function Facts({ booking, sessionNumber, from }: FactsProps) {
  const zone = usePracticeZone();
  const session = booking.sessions[sessionNumber - 1];
  const order = orderWords(booking, sessionNumber, zone);
  const limits = isAskedToMove(booking, sessionNumber)
    ? chooseWords(booking, zone)
    : session && movesWords(session, zone);
  return (
    <>
      <p className="text-lg">
        Now: <strong className="numeric">{shortTime(from, zone)}</strong>
        {isOnline(booking) ? <OwnTime at={from} zone={zone} /> : null}
      </p>
      <p className="numeric">
        {limits} {staysWords(booking)}
      </p>
      {order ? <p className="numeric">{order}</p> : null}
    </>
  );
}

type FactsProps = Pick<MoveDialogProps, 'booking' | 'sessionNumber'> & { from: Date };

type PickerProps = {
  booking: Booking;
  times: Times;
  from: Date;
  onTake: (instant: string) => void;
};

function Picker({ booking, times: { schedule, chosen }, from, onTake }: PickerProps) {
  if (schedule.error && !schedule.days) {
    const title = "We can't say which times are free";
    return <ErrorNotice error={schedule.error} title={title} onRetry={schedule.refetch} />;
  }
  return (
    <>
      {/* Of a package the next free time may lie beside its place. */}
      {booking.package ? null : (
        <NextAvailable schedule={schedule} chosen={chosen} onTake={onTake} />
      )}
      <DayStrip schedule={schedule} />
      <TimePicker
        schedule={schedule}
        chosen={chosen}
        own={[]}
        showOwnTime={isOnline(booking)}
        current={toInstant(from)}
      />
      <MonthPicker schedule={schedule} />
      <p>
        Another service? Cancel this one, and{' '}
        <AppLink to="/services" className="font-semibold text-brand underline">
          book anew
        </AppLink>
        .
      </p>
    </>
  );
}

/** What another page, or staff, has made of the session's time since the dialog was opened. */
function useChanged(from: Date | undefined, times: Times) {
  const [opened] = useState(from);
  const last = useRef(from?.getTime());
  const {
    choose,
    schedule: { refetch },
  } = times;
  const at = from?.getTime();
  useEffect(() => {
    if (last.current === at) return;
    last.current = at;
    choose({ slot: '' });
    refetch();
  }, [at, choose, refetch]);
  return opened && at !== opened.getTime() ? opened : undefined;
}

/** What the pressed button leaves behind: what is said instead takes its focus. */
function useNoticeFocus(told: string) {
  const notices = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when something else is said.
  useEffect(() => {
    if (isFocusLost()) notices.current?.focus();
  }, [told]);
  return notices;
}

function useMove(props: Omit<MoveDialogProps, 'now' | 'onClose' | 'onCancel'>) {
  const { booking, sessionNumber } = props;
  const times = useMoveTimes(booking, sessionNumber);
  const { schedule, chosen } = times;
  const from = startOf(booking, sessionNumber);
  const changedFrom = useChanged(from, times);
  const moving = useMoving({
    ...props,
    onRefused: (instant, reason) => {
      schedule.lose(instant, reason, true);
      schedule.refetch();
    },
  });
  const { forget } = moving;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each choice.
  useEffect(forget, [chosen]);
  const refusal = schedule.error ? errorReason(schedule.error) : '';
  const ended = moving.ended || (endedTitle(refusal) ? refusal : '');
  const pageCode = usePageCode(times.codeNeeded || moving.codeAsked, moving.error);
  return { times, from, changedFrom, moving, ended, pageCode };
}

export function MoveDialog({ onClose, now, onCancel, ...props }: MoveDialogProps) {
  const { booking, sessionNumber } = props;
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const { times, from, changedFrom, moving, ended, pageCode } = useMove(props);
  const { schedule, chosen } = times;
  const take = useTakeTime(schedule, chosen);
  const told = [ended, changedFrom && from?.getTime(), schedule.lost?.at.getTime()].join();
  const notices = useNoticeFocus(told);
  if (!from) return null;
  const what = { booking, sessionNumber };
  const confirm = { from, chosen, online: isOnline(booking), busy: moving.busy, pageCode };
  return (
    <Dialog
      open={open}
      sheet
      size="lg"
      onClose={close}
      title={booking.package ? `Move session ${sessionNumber}` : 'Move this session'}
      actions={
        <>
          {ended ? null : <ConfirmMove {...confirm} onMove={(code) => moving.move(chosen, code)} />}
          <Button variant="secondary" onClick={close}>
            Keep this time
          </Button>
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-5">
        {ended ? null : <Facts {...what} from={from} />}
        <div ref={notices} tabIndex={-1} className="flex flex-col gap-3 empty:hidden">
          {changedFrom ? <ChangedNotice was={changedFrom} is={from} /> : null}
          {ended ? (
            <EndedNotice {...what} reason={ended} now={now} onCancel={onCancel} />
          ) : (
            <RefusedNotice {...what} schedule={schedule} onTake={take} />
          )}
          {pageCodeProblem(moving.error) ? null : <MoveFailed {...moving} />}
        </div>
        {ended ? null : <Picker booking={booking} times={times} from={from} onTake={take} />}
      </div>
    </Dialog>
  );
}
