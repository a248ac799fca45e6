import { Skeleton } from '@/components/ui/skeleton';
import type { BookUrl } from '@/features/booking/book-page/book-url';
import type { Book } from '@/features/booking/book-page/hooks/use-book';
import { isEnded, isLive } from '@/features/booking/shared/booking-state';
import { choicesOf } from '@/features/booking/shared/choices';
import { sessionRows } from '@/features/booking/shared/components/booking-rows';
import { SummaryList } from '@/features/booking/shared/components/booking-summary';
import { EndedPanel } from '@/features/booking/shared/components/ended-panel';
import { HoldTimer } from '@/features/booking/shared/components/hold-timer';
import { UnreadableBooking } from '@/features/booking/shared/components/unreadable-booking';
import { wantedPractitioner } from '@/features/booking/shared/held-booking';
import { LinkPanel } from '@/features/payments/components/link-panel';
import { useLinkCheck } from '@/features/payments/hooks/use-link-check';
import { usePaymentLink } from '@/features/payments/hooks/use-payment-link';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { bookingReference } from '@/lib/reference';
import { toDate } from '@/lib/time';

/** Stands in for the booking of the address until it is read, or where it cannot be. */
export function NoBooking({ book: { reading, moves } }: { book: Book }) {
  if (!reading.error) return <Skeleton className="h-96 w-full rounded-card" />;
  return (
    <UnreadableBooking
      reading={reading}
      onChoose={() => moves.push({ step: undefined, bookingId: '' })}
    />
  );
}

/** The first view with the choices that led to a booking. */
function backTo(booking: Booking): Partial<BookUrl> {
  const choices = choicesOf(booking, wantedPractitioner(booking.bookingId));
  return { ...choices, step: undefined, bookingId: '' };
}

type LinkScreenProps = {
  book: Book;
  /** Whether the browser refused the tab; unknown where this page has opened none. */
  blocked: boolean | undefined;
};

function Payable({ book, booking, blocked }: LinkScreenProps & { booking: Booking }) {
  const { zone, moves, reading } = book;
  const { bookingId } = booking;
  const link = usePaymentLink(bookingId, isLive(booking));
  const check = useLinkCheck(bookingId, (outcome) => {
    reading.refetch();
    // A link that has ended is followed by another one.
    if (outcome === 'ended') void link.refetch();
  });
  const until = booking.heldUntilAt;
  return (
    <LinkPanel
      model={{
        link: link.data,
        linkError: link.error,
        retryLink: () => void link.refetch(),
        opened: blocked === false,
        blocked: blocked === true,
        check: () => check.mutate(),
        checking: check.isPending,
        outcome: check.data,
        checkError: check.error,
      }}
      price={formatPrice(booking.price)}
      reference={bookingReference(bookingId)}
      timer={until ? <HoldTimer until={toDate(until)} zone={zone} onEnd={reading.refetch} /> : null}
      summary={<SummaryList rows={sessionRows(booking, zone)} />}
      onBack={() => moves.push(backTo(booking))}
    />
  );
}

/** Paying in another tab, and what can become of a booking until it is confirmed. */
export function LinkScreen({ book, blocked }: LinkScreenProps) {
  const { zone, moves } = book;
  const { booking } = book.reading;
  if (!booking) return <NoBooking book={book} />;
  if (!isEnded(booking)) return <Payable book={book} booking={booking} blocked={blocked} />;
  return (
    <EndedPanel
      booking={booking}
      zone={zone}
      verifying={blocked !== undefined}
      onAnew={() => moves.push({ ...backTo(booking), slot: '', slots: [] })}
    />
  );
}
