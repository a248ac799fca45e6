import type { ReactNode } from 'react';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Schedule } from '../hooks/use-schedule';
import { useTakeTime } from '../hooks/use-take-time';
import { DayStrip } from './day-strip';
import { MonthPicker } from './month-picker';
import { NextAvailable } from './next-available';
import { SlotTakenNotice } from './slot-taken-notice';
import { TimePicker } from './time-picker';

type TimeCalendarProps = {
  schedule: Schedule;
  /** The chosen start, or empty. */
  chosen: string;
  /** The starts that this customer holds already. */
  own: readonly string[];
  /** In another zone the visitor's own time is shown beside it. */
  showOwnTime: boolean;
  error?: string | undefined;
  /** What is said of the chosen time. */
  children?: ReactNode;
};

/** Days and their times, from which one start is chosen. */
export function TimeCalendar(props: TimeCalendarProps) {
  const { schedule, chosen, own, showOwnTime, error, children } = props;
  const take = useTakeTime(schedule, chosen);
  return (
    <>
      <SlotTakenNotice schedule={schedule} onTake={take} />
      {schedule.error && !schedule.days ? (
        <ErrorNotice error={schedule.error} onRetry={schedule.refetch} />
      ) : (
        <>
          <NextAvailable schedule={schedule} chosen={chosen} onTake={take} />
          <DayStrip schedule={schedule} />
          <TimePicker
            schedule={schedule}
            chosen={chosen}
            own={own}
            showOwnTime={showOwnTime}
            error={error}
          />
          {children}
          <MonthPicker schedule={schedule} />
        </>
      )}
    </>
  );
}
