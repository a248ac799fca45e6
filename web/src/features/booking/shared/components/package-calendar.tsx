import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { type DatesMoves, usePackageDates } from '../hooks/use-package-dates';
import { useRefusedDates } from '../hooks/use-refused-dates';
import { useSchedule } from '../hooks/use-schedule';
import { PackageDates } from './package-dates';
import type { CalendarProps } from './session-calendar';
import { TimeCalendar } from './time-calendar';

type PackageCalendarProps = CalendarProps<DatesMoves> & { offer: Package };

/** The calendar of a package: its dates, and the free times of the one that is being chosen. */
export function PackageCalendar(props: PackageCalendarProps) {
  const { offer, serviceId, practitionerId, moves, own, refused, showOwnTime } = props;
  const zone = usePracticeZone();
  const dates = usePackageDates({ moves, offer, serviceId, practitionerId, zone });
  const { inner } = dates;
  const whose = { serviceId, practitionerId, own, keepsChoice: true };
  const schedule = useSchedule({ ...whose, moves: inner });
  useRefusedDates(refused, dates, schedule);
  return (
    <>
      <PackageDates offer={offer} dates={dates} zone={zone} missing={props.error} />
      <TimeCalendar schedule={schedule} chosen={inner.url.slot} own={own} showOwnTime={showOwnTime}>
        {props.children}
      </TimeCalendar>
    </>
  );
}
