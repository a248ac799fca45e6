/** Calls of the services by hand, from Node, with the browser's own client. */
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import {
  BookingService,
  BookingState,
  SessionMode,
} from '../../src/gen/booking/v1/booking_service_pb';
import { PaymentsService } from '../../src/gen/payments/v1/payments_service_pb';
import { type Review, ReviewsService } from '../../src/gen/reviews/v1/reviews_service_pb';
import { SERVICE } from './flow';
import type { Person } from './people';
import { type Practice, until } from './practice';
import type { Sandbox } from './sandbox';

function transport(url: string, token?: string) {
  const authorize: Interceptor = (next) => (request) => {
    if (token) request.header.set('Authorization', `Bearer ${token}`);
    return next(request);
  };
  return createConnectTransport({ baseUrl: `${url}/rpc`, interceptors: [authorize] });
}

/** Publishes a review, as who is not signed in. */
export async function writeReview(url: string, person: Person, text: string): Promise<Review> {
  const { review } = await createClient(ReviewsService, transport(url)).submitReview({
    name: `${person.firstName} ${person.lastName}`,
    email: person.email,
    service: 'Energy Healing',
    rating: 4,
    text,
    idempotencyKey: `review-of-${person.email}`,
  });
  if (!review) throw new Error('The answer holds no review.');
  return review;
}

type Desk = Client<typeof BookingService>;

async function reaches(desk: Desk, bookingId: string, state: BookingState): Promise<void> {
  await until(async () => {
    const { booking } = await desk.getBooking({ bookingId });
    return booking?.state === state || undefined;
  });
}

/** Books and pays the next free time, and lets so much time pass that the session is over. */
export async function attendSession(
  practice: Practice,
  sandbox: Sandbox,
  { person, token }: { person: Person; token: string },
): Promise<void> {
  const desk = createClient(BookingService, transport(practice.url, token));
  const { nextAvailableAt } = await desk.listSlots({ serviceId: SERVICE, days: 7 });
  const { booking } = await desk.requestBooking({
    idempotencyKey: `booking-of-${person.email}`,
    serviceId: SERVICE,
    startsAt: nextAvailableAt,
    mode: SessionMode.ONLINE,
    termsAccepted: true,
    contact: person,
  });
  const bookingId = booking?.bookingId ?? '';
  const till = createClient(PaymentsService, transport(practice.url, token));
  const { orderId } = await till.startPayment({ bookingId, idempotencyKey: `order-${bookingId}` });
  await sandbox.pay(orderId);
  await reaches(desk, bookingId, BookingState.MEETING_SCHEDULED);
  await practice.passMinutes(20 * 24 * 60);
  await reaches(desk, bookingId, BookingState.COMPLETED);
}
