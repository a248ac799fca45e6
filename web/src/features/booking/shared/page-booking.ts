/** The page of a booking, which a key opens, as a booking: for the parts that show and change one. */
import { create } from '@bufbuild/protobuf';
import { type Booking, BookingSchema } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';

/** A page tells no version: what was read last counts. */
export function bookingOfPage(page: PaymentPage): Booking {
  const { package: booked, price, cancellationPolicy, heldUntilAt, paid, refundOwed } = page;
  const { givenByBank, pendingCancellation, moveProposal, toldLate } = page;
  return create(BookingSchema, {
    bookingId: page.bookingId,
    serviceId: page.serviceId,
    serviceTitle: page.serviceTitle,
    sessions: page.sessions,
    timeZone: page.timeZone,
    mode: page.mode,
    location: page.location,
    practitionerId: page.practitionerId,
    practitionerName: page.practitionerName,
    state: page.state,
    paymentState: page.paymentState,
    paidAtDesk: page.paidAtDesk,
    ...(booked && { package: booked }),
    ...(price && { price }),
    ...(paid && { paid }),
    ...(cancellationPolicy && { cancellationPolicy }),
    ...(heldUntilAt && { heldUntilAt }),
    ...(refundOwed && { refundOwed }),
    ...(givenByBank && { givenByBank }),
    ...(pendingCancellation && { pendingCancellation }),
    ...(moveProposal && { moveProposal }),
    ...(toldLate && { toldLate }),
  });
}
