/** "I'm running late": one tap tells the practice, from an hour before a session until its end. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { describeError } from '@/lib/errors';
import { isFocusLost } from '../focus-lost';
import { LATE_MINUTES, lateNumber, toldMinutes } from '../late';
import { calledNumber } from '../move';
import { useSessionPort } from '../session-port';

type LatePartProps = { booking: Booking; now: number; onTold: (after: Booking) => void };

/** The last word counts, so that each press may be made again. */
function useTellLate(booking: Booking, number: number, onTold: (after: Booking) => void) {
  const port = useSessionPort();
  return useMutation({
    mutationFn: (minutes: number) => {
      const sessionNumber = calledNumber(booking, number);
      return port.tellLate(booking, { sessionNumber, minutes });
    },
    onSuccess: onTold,
  });
}

function unheardTitle(error: unknown): string {
  const isLost = describeError(error).lost;
  return isLost
    ? "We don't know yet whether the practice was told"
    : "The practice doesn't know yet";
}

type LateProps = Omit<LatePartProps, 'now'> & { number: number };

function Late({ booking, number, onTold }: LateProps) {
  const titleId = useId();
  const { mutate, isPending, variables, error } = useTellLate(booking, number, onTold);
  const told = toldMinutes(booking, number);
  const frame = useRef<HTMLElement>(null);
  // Who takes it back has pressed a button that is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when something else is told.
  useEffect(() => {
    if (variables !== undefined && isFocusLost()) frame.current?.focus();
  }, [told]);
  return (
    <section
      ref={frame}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="flex scroll-mt-24 flex-col gap-2"
    >
      <p id={titleId} className="font-semibold">
        I'm running late
      </p>
      <p role="status" className="empty:hidden">
        {told > 0 ? `You told the practice: ${told} minutes late.` : ''}
      </p>
      <div className="flex flex-wrap gap-2">
        {LATE_MINUTES.map((minutes) => (
          <Button
            key={minutes}
            variant="secondary"
            size="sm"
            aria-pressed={minutes === told}
            className="numeric aria-pressed:border-brand aria-pressed:text-brand"
            busy={isPending && variables === minutes}
            onClick={() => mutate(minutes)}
          >
            {minutes} minutes
          </Button>
        ))}
        {told > 0 ? (
          <Button
            variant="quiet"
            size="sm"
            busy={isPending && variables === 0}
            onClick={() => mutate(0)}
          >
            I'm on time after all
          </Button>
        ) : null}
      </div>
      {error ? (
        <ErrorNotice
          error={error}
          title={unheardTitle(error)}
          onRetry={() => variables !== undefined && mutate(variables)}
        />
      ) : null}
    </section>
  );
}

export function LatePart({ booking, now, onTold }: LatePartProps) {
  const number = lateNumber(booking, now);
  return number ? <Late key={number} {...{ booking, number, onTold }} /> : null;
}
