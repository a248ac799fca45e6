import { type ReactNode, useEffect } from 'react';
import { WaitLink } from '@/components/wait-link';
import { type TimeMoves, useSchedule } from '../hooks/use-schedule';
import type { RefusedTimes } from '../refused-times';
import { hasFree } from '../slots';
import { TimeCalendar } from './time-calendar';

export type CalendarProps<Moves> = {
  serviceId: string;
  /** Empty for anyone. */
  practitionerId: string;
  moves: Moves;
  /** The starts that this customer holds already. */
  own: readonly string[];
  showOwnTime: boolean;
  error?: string | undefined;
  /** What the server has just refused. */
  refused: RefusedTimes | undefined;
  /** What is said of the chosen time. */
  children?: ReactNode;
};

/** The calendar of a single session. */
export function SessionCalendar(props: CalendarProps<TimeMoves>) {
  const { serviceId, practitionerId, moves, own, refused, showOwnTime, error, children } = props;
  const { slot } = moves.url;
  const schedule = useSchedule({ serviceId, practitionerId, moves, own });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    if (!refused || !slot || refused.starts[0] !== slot) return;
    schedule.lose(slot, refused.reason, true);
    schedule.refetch();
  }, [refused]);

  const { days, starts } = schedule;
  const full = days !== undefined && (!days.some(hasFree) || !starts.some((it) => it.available));
  return (
    <>
      <TimeCalendar
        schedule={schedule}
        chosen={slot}
        own={own}
        showOwnTime={showOwnTime}
        error={error}
      >
        {children}
      </TimeCalendar>
      <WaitLink serviceId={serviceId} practitionerId={practitionerId} full={full} />
    </>
  );
}
