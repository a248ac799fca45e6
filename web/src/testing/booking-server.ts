/** The booking and payments services of one booking, for tests of the flow. */
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  type Booking,
  BookingService,
  BookingState,
  type ListSlotsRequest,
  type RequestBookingRequest,
} from '@/gen/booking/v1/booking_service_pb';
import { WidgetService } from '@/gen/booking/v1/widget_service_pb';
import {
  CollectionState,
  PaymentMethod,
  PaymentStatus,
  PaymentsService,
  type StartPaymentRequest,
} from '@/gen/payments/v1/payments_service_pb';
import { toInstant } from '@/lib/instant';
import { toDate } from '@/lib/time';
import { bookingFixture, FREE_SESSION, packageFixture, slotsFixture } from './booking-fixture';
import { ConsentServer } from './consent-server';
import { refusal } from './refusal';
import { WaitingServer } from './waiting-server';

const DAY_MS = 86_400_000;
const HOURS = [11, 12, 13];

/** A server with one booking, which a test can change while the page looks. */
export class BookingServer {
  booking: Booking | undefined;
  taken = new Set<number>();
  /** Every day has free times, and not the first one alone. */
  everyDay = false;
  /** Starts that other people have, as the address writes them. */
  gone = new Set<string>();
  requests: RequestBookingRequest[] = [];
  /** The practitioners whose times were asked for; empty for anyone. */
  slotsOf: string[] = [];
  orderFailures = 0;
  released = 0;
  answers: string[] = [];
  /** What the next requests for a booking are refused with. */
  refusals: ConnectError[] = [];
  /** What the provider says when it is asked. */
  payment = { state: CollectionState.PENDING, paymentStatus: PaymentStatus.OTHER };
  /** What asking the provider ends with, where it fails. */
  checkFailure: ConnectError | undefined;
  /** How often the provider was asked. */
  checks = 0;
  /** Consents, and the terms that they are to. */
  consents = new ConsentServer();
  waiting = new WaitingServer();
  /** Which booking each report was said to be about, "id booking". */
  reports: string[] = [];
  /** How often a report is not taken before it is. */
  reportFailures = 0;
  /** Until then no order is made. */
  ready: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;

  tell(changes: Parameters<typeof bookingFixture>[0]): void {
    const version = (this.booking?.version ?? 0n) + 1n;
    this.booking = bookingFixture({ ...this.booking, ...changes, version } as typeof changes);
    this.#wake?.();
  }

  async *watch(signal: AbortSignal) {
    while (!signal.aborted) {
      if (this.booking) yield { booking: this.booking };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    }
  }

  slots({ practitionerId, fromDate, days }: ListSlotsRequest) {
    this.slotsOf.push(practitionerId);
    if (this.everyDay) return this.#everyDay(fromDate || '2026-11-24', days);
    const free = (hour: number) => ({ hour, available: !this.taken.has(hour) });
    return slotsFixture([
      { date: '2026-11-24', starts: [free(11), free(12), free(13)] },
      { date: '2026-11-25', closed: true },
    ]);
  }

  #everyDay(fromDate: string, days: number) {
    const from = Date.parse(`${fromDate}T00:00:00Z`);
    const dates = Array.from({ length: days }, (_, day) =>
      new Date(from + day * DAY_MS).toISOString().slice(0, 10),
    );
    const starts = (date: string) =>
      HOURS.map((hour) => {
        const start = toInstant(new Date(`${date}T${hour}:00:00+05:30`));
        return { hour, available: !this.gone.has(start) };
      });
    return slotsFixture(dates.map((date) => ({ date, starts: starts(date) })));
  }

  #requestPackage({ startsAt, furtherStartsAt, packageId, contact }: RequestBookingRequest) {
    const times = [startsAt, ...furtherStartsAt].flatMap((at) => (at ? [toDate(at)] : []));
    const starts = times.map(toInstant);
    if (starts.some((start) => this.gone.has(start))) {
      throw refusal(Code.FailedPrecondition, 'SLOT_TAKEN');
    }
    for (const start of starts) this.gone.add(start);
    const booking = packageFixture(times, { packageId, contact });
    this.booking = booking;
    return { booking };
  }

  request(request: RequestBookingRequest) {
    this.requests.push(request);
    const refused = this.refusals.shift();
    if (refused) throw refused;
    if (request.packageId) return this.#requestPackage(request);
    const hour = new Date(Number(request.startsAt?.seconds) * 1000).getUTCHours() + 6;
    if (this.taken.has(hour)) throw refusal(Code.FailedPrecondition, 'SLOT_TAKEN');
    this.taken.add(hour);
    const { contact, practitionerId, serviceId } = request;
    const practitionerName = practitionerId === 'ravi' ? 'Ravi Menon' : 'Meera Joshi';
    const free = serviceId === 'free-consultation' ? FREE_SESSION : {};
    this.booking = bookingFixture({ contact, practitionerId, practitionerName, ...free });
    this.consents.take(request.consent, this.booking.bookingId);
    return { booking: this.booking };
  }

  async start({ method }: StartPaymentRequest) {
    await this.ready;
    if (this.orderFailures > 0) {
      this.orderFailures -= 1;
      throw refusal(Code.FailedPrecondition, 'PROVIDER_REFUSED', { referenceId: 'ref-1' });
    }
    if (method === PaymentMethod.LINK) {
      return { linkUrl: 'https://pay.example/l/1', linkId: 'plink_1', state: this.payment.state };
    }
    return {
      orderId: 'order_1',
      keyId: 'key_1',
      amount: { minorUnits: 50_000n, currencyCode: 'INR' },
      checkoutScriptUrl: 'https://checkout.example/script.js',
      state: CollectionState.PENDING,
    };
  }

  transport() {
    const found = () => {
      if (!this.booking) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
      return { booking: this.booking };
    };
    return createRouterTransport(({ service }) => {
      this.consents.serve(service);
      this.waiting.serve(service);
      service(BookingService, {
        listSlots: (request) => this.slots(request),
        requestBooking: (request) => this.request(request),
        getBooking: found,
        watchBooking: (_request, { signal }) => this.watch(signal),
        openCheckout: () => {
          this.tell({ checkoutOpened: true, state: BookingState.AWAITING_PAYMENT });
          return found();
        },
        releaseBooking: () => {
          this.released += 1;
          this.tell({ state: BookingState.CANCELLED });
          return found();
        },
      });
      service(WidgetService, {
        reportBooking: ({ reportId, bookingId }) => {
          this.reportFailures -= 1;
          if (this.reportFailures >= 0) throw refusal(Code.Unavailable, 'UPSTREAM_UNAVAILABLE');
          this.reports.push(`${reportId} ${bookingId}`);
          return {};
        },
      });
      service(PaymentsService, {
        startPayment: (request) => this.start(request),
        submitCheckoutAnswer: ({ paymentId }) => {
          this.answers.push(paymentId);
          return { state: CollectionState.PENDING };
        },
        checkPayment: () => {
          this.checks += 1;
          if (this.checkFailure) throw this.checkFailure;
          return this.payment;
        },
        claimPayment: () => ({ state: CollectionState.PENDING }),
      });
    });
  }
}
