import { useEffect } from 'react';
import { BookedPanel } from '@/features/booking/book-page/components/booked-panel';
import { OwnConsent } from '@/features/consent/components/own-consent';
import { isLate } from '@/lib/cancellation';
import { serverNow } from '@/lib/clock';
import { usePractice } from '@/lib/practice';
import { clearFlowKeys } from '@/lib/tab-storage';
import { toDate } from '@/lib/time';
import { NoBooking } from './link-screen';
import type { Book } from './use-book';

/** "Booking Confirmed!" */
export function ConfirmationScreen({ book }: { book: Book }) {
  const { booking, zone, own } = book;
  const { cancellationHours } = usePractice();
  useEffect(clearFlowKeys, []);
  if (!booking) return <NoBooking book={book} />;
  const hours = booking.package?.noticeHours ?? cancellationHours;
  const late = booking.sessions.every(
    ({ startsAt }) => startsAt && isLate(toDate(startsAt), hours, serverNow()),
  );
  const { consent, current = false } = own.data ?? {};
  return (
    <BookedPanel
      booking={booking}
      zone={zone}
      late={late}
      consent={consent ? <OwnConsent record={consent} current={current} /> : null}
    />
  );
}
