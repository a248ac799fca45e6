import { useEffect } from 'react';
import { BookedPanel } from '@/features/booking/book-page/components/booked-panel';
import type { Book } from '@/features/booking/book-page/hooks/use-book';
import { OwnConsent } from '@/features/consent/components/own-consent';
import type { ClientConsent } from '@/features/consent/hooks/use-client-consent';
import { isBookingLate } from '@/lib/cancellation';
import { serverNow } from '@/lib/clock';
import { clearFlowKeys } from '@/lib/tab-storage';
import { NoBooking } from './link-screen';

type ConfirmationScreenProps = { book: Book; consent: ClientConsent };

/** "Booking Confirmed!" */
export function ConfirmationScreen({ book, consent }: ConfirmationScreenProps) {
  const { zone } = book;
  const { booking } = book.reading;
  useEffect(clearFlowKeys, []);
  if (!booking) return <NoBooking book={book} />;
  const late = isBookingLate(booking, serverNow());
  const { consent: record, current = false } = consent.own ?? {};
  return (
    <BookedPanel
      booking={booking}
      zone={zone}
      late={late}
      consent={record ? <OwnConsent record={record} current={current} /> : null}
    />
  );
}
