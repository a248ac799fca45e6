/** Calls of the services by hand, from Node, with the browser's own client. */
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import {
  BookingService,
  BookingState,
  SessionMode,
} from '../../src/gen/booking/v1/booking_service_pb';
import { WaitingService } from '../../src/gen/booking/v1/waiting_service_pb';
import { NotificationsService } from '../../src/gen/notifications/v1/notifications_service_pb';
import {
  PaymentMethod,
  PaymentsService,
  type StartPaymentResponse,
} from '../../src/gen/payments/v1/payments_service_pb';
import { type Review, ReviewsService } from '../../src/gen/reviews/v1/reviews_service_pb';
import { toInstant } from '../../src/lib/instant';
import { SERVICE } from './flow';
import { ownDates, ownStart } from './own-days';
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

/** Publishes a review without a session. */
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

/** Asks for the meditation guide, each number another wish. */
export async function askForGuide(url: string, email: string, number: number): Promise<void> {
  await createClient(NotificationsService, transport(url)).requestMeditationGuide({
    email,
    idempotencyKey: `guide-${number}-for-${email}`,
  });
}

type Desk = Client<typeof BookingService>;

async function reaches(desk: Desk, bookingId: string, state: BookingState): Promise<void> {
  await until(async () => {
    const { booking } = await desk.getBooking({ bookingId });
    return booking?.state === state || undefined;
  });
}

/** The free starts of the next two weeks as instants, earliest first. */
export async function freeStarts(practice: Practice): Promise<string[]> {
  const desk = createClient(BookingService, transport(practice.url));
  const { days } = await desk.listSlots({ serviceId: SERVICE, days: 14 });
  const free = days.flatMap(({ slots }) => slots.filter(({ available }) => available));
  return free.flatMap(({ startsAt }) => (startsAt ? toInstant(timestampDate(startsAt)) : []));
}

type Customer = { person: Person; token: string };

/** Counts what has happened to a booking. */
export async function bookingVersion(
  practice: Practice,
  { token }: Customer,
  bookingId: string,
): Promise<bigint> {
  const desk = createClient(BookingService, transport(practice.url, token));
  const { booking } = await desk.getBooking({ bookingId });
  return booking?.version ?? -1n;
}

/** Keeps a time of the spec's own days without paying for it; says which booking it is. */
export async function holdTime(practice: Practice, { person, token }: Customer): Promise<string> {
  const desk = createClient(BookingService, transport(practice.url, token));
  const start = await ownStart(practice.url, SERVICE);
  const { booking } = await desk.requestBooking({
    idempotencyKey: `booking-of-${person.email}`,
    serviceId: SERVICE,
    startsAt: timestampFromDate(new Date(start)),
    mode: SessionMode.ONLINE,
    termsAccepted: true,
    contact: person,
  });
  return booking?.bookingId ?? '';
}

/** Puts a client on the wait list for the spec's own days. */
export async function joinWaiting(practice: Practice, { person, token }: Customer): Promise<void> {
  const [fromDate = '', untilDate = ''] = await ownDates(practice.url, SERVICE);
  await createClient(WaitingService, transport(practice.url, token)).joinWaiting({
    idempotencyKey: `waiting-of-${person.email}`,
    wish: { serviceId: SERVICE, mode: SessionMode.ONLINE, fromDate, untilDate },
    firstName: person.firstName,
  });
}

/** Has a payment link made for a booking whose time is kept. */
export function makeLink(
  practice: Practice,
  { token }: Customer,
  bookingId: string,
): Promise<StartPaymentResponse> {
  const till = createClient(PaymentsService, transport(practice.url, token));
  const idempotencyKey = `link-${bookingId}`;
  return till.startPayment({ bookingId, idempotencyKey, method: PaymentMethod.LINK });
}

/** Books and pays a time of the spec's own days; says which booking it is. */
export async function bookSession(
  practice: Practice,
  sandbox: Sandbox,
  customer: Customer,
): Promise<string> {
  const bookingId = await holdTime(practice, customer);
  const { token } = customer;
  const till = createClient(PaymentsService, transport(practice.url, token));
  const { orderId } = await till.startPayment({ bookingId, idempotencyKey: `order-${bookingId}` });
  await sandbox.pay(orderId);
  const desk = createClient(BookingService, transport(practice.url, token));
  await reaches(desk, bookingId, BookingState.MEETING_SCHEDULED);
  return bookingId;
}

/** Books and pays a time, and lets so much time pass that the session is over. */
export async function attendSession(
  practice: Practice,
  sandbox: Sandbox,
  customer: Customer,
): Promise<void> {
  const bookingId = await bookSession(practice, sandbox, customer);
  const desk = createClient(BookingService, transport(practice.url, customer.token));
  await practice.passMinutes(20 * 24 * 60);
  await reaches(desk, bookingId, BookingState.COMPLETED);
}
