/** The bookings of one client and what cancels them, for tests of the pages of own sessions. */
import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  type Booking,
  BookingService,
  BookingState,
  type CancelOwnBookingRequest,
  ContactSchema,
  type CorrectContactRequest,
  type GraceUse,
  type HeldOffer,
  type ListOwnBookingsRequest,
  type ListSlotsResponse,
  type MoveOwnBookingRequest,
  OwnBookingsPart,
  PaymentState,
  PendingCancellationSchema,
  type TellLateRequest,
  ToldLateSchema,
} from '@/gen/booking/v1/booking_service_pb';
import { Answering } from './answering';
import { bookingFixture, slotsFixture } from './booking-fixture';
import { OwnCalendarServer } from './own-calendar-server';
import { rupees } from './receipt-fixture';
import { RefundRequestServer } from './refund-request-server';
import { refusal } from './refusal';
import { WaitingServer } from './waiting-server';

const UNDO_MS = 180_000;

type Changes = NonNullable<Parameters<typeof bookingFixture>[0]>;

/** A paid session of ₹1,500 on 24 November, 11:00 am IST. */
export function ownBooking(changes: Changes = {}): Booking {
  return bookingFixture({
    state: BookingState.MEETING_SCHEDULED,
    paymentState: PaymentState.PAID,
    price: rupees(150_000n),
    paid: rupees(150_000n),
    ...changes,
  } as Changes);
}

/** The id of a booking by its number, so that tests can have several. */
export function ownBookingId(number: number): string {
  return `bkg_${String(number).padStart(32, '0')}`;
}

export class OwnSessionsServer extends Answering {
  coming: Booking[] = [];
  past: Booking[] = [];
  pageSize = 20;
  /** The free times that are listed, whatever days are asked for. */
  slots = slotsFixture([]);
  /** What goes back now. */
  refund = 150_000n;
  atOnce = false;
  /** What of it comes back by grace. */
  grace: GraceUse | undefined;
  /** A time of the wait list that is held. */
  heldOffer: HeldOffer | undefined;
  /** The times to choose from where the practice asks for another one. */
  suggested: Date[] = [];
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  /** What the next reads are refused with. */
  unreadable: ConnectError | undefined;
  cancels: CancelOwnBookingRequest[] = [];
  /** The times to which a session can be moved. */
  moveSlots: ListSlotsResponse = slotsFixture([]);
  /** Why no session can be moved. */
  unmovable: ConnectError | undefined;
  /** How often the times were asked for. */
  movePreviews = 0;
  moves: MoveOwnBookingRequest[] = [];
  waiting = new WaitingServer();
  refundRequests = new RefundRequestServer();
  calendar = new OwnCalendarServer();
  corrections: CorrectContactRequest[] = [];
  /** By how many minutes, as it was told. */
  late: { sessionNumber: number; minutes: number }[] = [];
  /** The keys of the undos. */
  undos: string[] = [];
  readonly #done = new Set<string>();

  #find(bookingId: string): Booking {
    const found = [...this.coming, ...this.past].find((one) => one.bookingId === bookingId);
    if (!found) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
    return found;
  }

  /** Replaces a booking by a later version of it. */
  tell(booking: Booking, changes: Changes): Booking {
    const version = booking.version + 1n;
    const next = bookingFixture({ ...booking, ...changes, version } as Changes);
    const replace = (one: Booking) => (one.bookingId === booking.bookingId ? next : one);
    this.coming = this.coming.map(replace);
    this.past = this.past.map(replace);
    return next;
  }

  /** The cancellation of the only booking to come takes effect. */
  takeEffect(): void {
    const [booking] = this.coming;
    if (!booking) return;
    const changes = { state: BookingState.CANCELLED, paymentState: PaymentState.REFUNDING };
    this.past = [this.tell(booking, { ...changes, pendingCancellation: undefined } as Changes)];
    this.coming = [];
  }

  #list({ part, pageToken }: ListOwnBookingsRequest) {
    this.#read();
    const all = part === OwnBookingsPart.PAST ? this.past : this.coming;
    const from = Number(pageToken || '0');
    const end = from + this.pageSize;
    const bookings = all.slice(from, end);
    const { heldOffer } = part === OwnBookingsPart.PAST ? {} : this;
    const nextPageToken = end < all.length ? String(end) : '';
    return { bookings, nextPageToken, ...(heldOffer && { heldOffer }) };
  }

  #read(): void {
    this.read();
    if (this.unreadable) throw this.unreadable;
  }

  #preview(bookingId: string, sessionNumber: number) {
    this.#read();
    const { sessions, pendingCancellation } = this.#find(bookingId);
    if (pendingCancellation) throw refusal(Code.FailedPrecondition, 'CANCELLATION_PENDING');
    const all = sessions.map((_, index) => index + 1);
    const sessionNumbers = sessionNumber === 0 ? all : [sessionNumber];
    const { atOnce, grace } = this;
    return { sessionNumbers, refund: rupees(this.refund), atOnce, ...(grace && { grace }) };
  }

  #answer(booking: Booking) {
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return { booking };
  }

  async #cancel(request: CancelOwnBookingRequest) {
    this.cancels.push(request);
    await this.command();
    const { bookingId, idempotencyKey, sessionNumber, shownRefund } = request;
    const booking = this.#find(bookingId);
    if (this.#done.has(idempotencyKey)) return this.#answer(booking);
    if ((shownRefund?.minorUnits ?? 0n) > this.refund) {
      throw refusal(Code.Aborted, 'REFUND_FELL', { field: 'shown_refund' });
    }
    this.#done.add(idempotencyKey);
    if (this.atOnce) {
      const changes = { state: BookingState.CANCELLED, paymentState: PaymentState.REFUNDING };
      return this.#answer(this.tell(booking, changes));
    }
    const pendingCancellation = create(PendingCancellationSchema, {
      sessionNumber,
      refund: rupees(this.refund),
      takesEffectAt: timestampFromDate(new Date(Date.now() + UNDO_MS)),
    });
    return this.#answer(this.tell(booking, { pendingCancellation } as Changes));
  }

  async #undo(bookingId: string, idempotencyKey: string) {
    this.undos.push(idempotencyKey);
    await this.command();
    const booking = this.#find(bookingId);
    if (booking.state === BookingState.CANCELLED) {
      throw refusal(Code.FailedPrecondition, 'CANCELLATION_TOOK_EFFECT');
    }
    return this.#answer(this.tell(booking, { pendingCancellation: undefined } as Changes));
  }

  async #previewMove(bookingId: string) {
    await this.gate;
    this.#read();
    this.movePreviews += 1;
    this.#find(bookingId);
    if (this.unmovable) throw this.unmovable;
    const suggestedStartsAt = this.suggested.map((at) => timestampFromDate(at));
    return { slots: this.moveSlots, suggestedStartsAt };
  }

  /** Moves a session, as its client or someone else wants it. */
  moveSession(bookingId: string, number: number, start: Date): Booking {
    const booking = this.#find(bookingId);
    const sessions = booking.sessions.map((session, index) => {
      const { startsAt, endsAt, moves, movesLeft } = session;
      if (index + 1 !== number || !startsAt || !endsAt) return session;
      const length = timestampDate(endsAt).getTime() - timestampDate(startsAt).getTime();
      return {
        ...session,
        startsAt: timestampFromDate(start),
        endsAt: timestampFromDate(new Date(start.getTime() + length)),
        moves: moves + 1,
        movesLeft: movesLeft - 1,
        refundSteps: [],
      };
    });
    return this.tell(booking, { sessions, moveProposal: undefined } as Changes);
  }

  async #move(request: MoveOwnBookingRequest) {
    this.moves.push(request);
    await this.command();
    const { bookingId, idempotencyKey, sessionNumber, shownStartsAt, startsAt } = request;
    const booking = this.#find(bookingId);
    if (this.#done.has(idempotencyKey)) return this.#answer(booking);
    const number = sessionNumber || 1;
    if (booking.sessions[number - 1]?.startsAt?.seconds !== shownStartsAt?.seconds) {
      throw refusal(Code.Aborted, 'CHANGED_SINCE');
    }
    this.#done.add(idempotencyKey);
    const start = startsAt ? timestampDate(startsAt) : new Date();
    return this.#answer(this.moveSession(bookingId, number, start));
  }

  async #correct(request: CorrectContactRequest) {
    this.corrections.push(request);
    await this.command();
    const { bookingId, firstName, lastName, phone, notes } = request;
    const booking = this.#find(bookingId);
    const email = booking.contact?.email ?? '';
    const contact = create(ContactSchema, { firstName, lastName, email, phone, notes });
    return this.#answer(this.tell(booking, { contact } as Changes));
  }

  async #tellLate({ bookingId, sessionNumber, minutes }: TellLateRequest) {
    this.late.push({ sessionNumber, minutes });
    await this.command();
    const booking = this.#find(bookingId);
    const told = { sessionNumber: sessionNumber || 1, minutes };
    const toldLate = minutes > 0 ? create(ToldLateSchema, told) : undefined;
    return this.#answer(this.tell(booking, { toldLate } as Changes));
  }

  transport() {
    return createRouterTransport(({ service }) => {
      this.waiting.serve(service);
      this.refundRequests.serve(service);
      this.calendar.serve(service);
      service(BookingService, {
        listOwnBookings: (request) => this.#list(request),
        getBooking: ({ bookingId }) => {
          this.#read();
          return { booking: this.#find(bookingId) };
        },
        listSlots: () => ({ ...this.slots }),
        previewOwnCancellation: ({ bookingId, sessionNumber }) =>
          this.#preview(bookingId, sessionNumber),
        previewOwnMove: ({ bookingId }) => this.#previewMove(bookingId),
        moveOwnBooking: (request) => this.#move(request),
        correctContact: (request) => this.#correct(request),
        tellLate: (request) => this.#tellLate(request),
        cancelOwnBooking: (request) => this.#cancel(request),
        undoCancellation: ({ bookingId, idempotencyKey }) => this.#undo(bookingId, idempotencyKey),
      });
    });
  }
}
