/** The practice's staff calls as a test plays them: bookings, closed times, and what is done with them. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  BookingCalendarStaffService,
  type CalendarSource,
} from '@/gen/booking/v1/booking_calendar_service_pb';
import {
  BookingService,
  BookingState,
  type GraceUseSchema,
  MoveProposalSchema,
  PaymentState,
  SessionSchema,
} from '@/gen/booking/v1/booking_service_pb';
import {
  Attendance,
  type BlockedTime,
  BlockedTimeSchema,
  BookingStaffService,
  type CancelBookingRequest,
  type MarkAttendanceRequest,
  type MoveBookingRequest,
  type MoveReason,
  type ProposeMoveRequest,
  type RequestPhoneBookingRequest,
  SessionMarkSchema,
  type StaffBooking,
  StaffBookingSchema,
  StaffRole,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { ConsentStaffService, type WithdrawnConsent } from '@/gen/booking/v1/consent_service_pb';
import { type Member, OrganisationStaffService } from '@/gen/booking/v1/organisation_service_pb';
import type { ParkedEvent } from '@/gen/common/v1/parked_event_pb';
import { MailKind } from '@/gen/notifications/v1/notifications_events_pb';
import {
  type Delivery,
  DeliveryState,
  NotificationsStaffService,
} from '@/gen/notifications/v1/notifications_staff_service_pb';
import {
  type GiveBackKeptRequest,
  PaymentsStaffService,
  type RecordDeskPaymentRequest,
  type RecordDeskRefundRequest,
  type RefundPaymentRequest,
  type UnexplainedOrder,
} from '@/gen/payments/v1/payments_staff_service_pb';
import { Answering } from './answering';
import { at, bookingFixture, slotsFixture } from './booking-fixture';
import { rupees } from './receipt-fixture';
import { RefundRequests } from './refund-requests';
import { refusal } from './refusal';
import { WaitList } from './wait-list';

type BookingInit = NonNullable<Parameters<typeof bookingFixture>[0]>;
type StaffInit = MessageInitShape<typeof StaffBookingSchema>;

const MINUTE_MS = 60_000;

/** The id of a booking by its number, so that tests can have several. */
export function deskBookingId(number: number): string {
  return `bkg_${String(number).padStart(32, '0')}`;
}

/** A paid session of an hour, online, from this instant on. */
export function staffBooking(
  number: number,
  startsAt: Date,
  changes: Partial<BookingInit> = {},
  staff: Partial<StaffInit> = {},
): StaffBooking {
  const endsAt = new Date(startsAt.getTime() + 60 * MINUTE_MS);
  const booking = bookingFixture({
    bookingId: deskBookingId(number),
    serviceTitle: 'Meditation',
    state: BookingState.MEETING_SCHEDULED,
    paymentState: PaymentState.PAID,
    price: rupees(150_000n),
    paid: rupees(150_000n),
    practitionerId: 'lead',
    contact: { firstName: 'Asha', lastName: 'Rao', phone: '+919876543210', email: 'a@example.org' },
    sessions: [{ startsAt: timestampFromDate(startsAt), endsAt: timestampFromDate(endsAt) }],
    ...changes,
  } as BookingInit);
  return create(StaffBookingSchema, { customerId: 'usr_1', ...staff, booking } as StaffInit);
}

export function closedTime(number: number, from: Date, to: Date): BlockedTime {
  return create(BlockedTimeSchema, {
    blockId: `blk_${number}`,
    startsAt: timestampFromDate(from),
    endsAt: timestampFromDate(to),
    practitionerId: 'lead',
    practitionerName: 'Meera Joshi',
  });
}

/** A time that is held for a client on the wait list. */
export function offeredTime(number: number, from: Date, to: Date, until: Date): BlockedTime {
  return { ...closedTime(number, from, to), offeredUntilAt: timestampFromDate(until) };
}

export class DeskServer extends Answering {
  role = StaffRole.OWNER;
  bookings: StaffBooking[] = [];
  blocked: BlockedTime[] = [];
  /** The closed times cannot be read. */
  blockedDown = false;
  /** What goes back of a cancellation. */
  refund = 150_000n;
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  /** The mails cannot be read. */
  mailsDown = false;
  refunds: RefundPaymentRequest[] = [];
  /** What a late cancellation kept, in paise. */
  kept = 0n;
  keptGiven: GiveBackKeptRequest[] = [];
  /** It was paid at the desk. */
  atDesk = false;
  /** What comes back by grace. */
  grace: MessageInitShape<typeof GraceUseSchema> | undefined;
  moveReasons: MoveReason[] = [];
  members: Member[] = [];
  payments: RecordDeskPaymentRequest[] = [];
  givenBack: RecordDeskRefundRequest[] = [];
  /** The bookings whose refunds were let go. */
  released: string[] = [];
  /** Of a released refund so much stays, because the bank has taken it. */
  deducted = 0n;
  /** What nothing explains, failed mails, calendars, consents and parked events. */
  orders: UnexplainedOrder[] = [];
  mails: Delivery[] = [];
  sources: CalendarSource[] = [];
  consents: WithdrawnConsent[] = [];
  parked: ParkedEvent[] = [];
  /** The acts on tasks, in their order. */
  tasksDone: string[] = [];
  phoneBookings: RequestPhoneBookingRequest[] = [];
  slots = slotsFixture([]);
  marks: MarkAttendanceRequest[] = [];
  cancels: CancelBookingRequest[] = [];
  moves: MoveBookingRequest[] = [];
  proposals: ProposeMoveRequest[] = [];
  /** The free times of another practitioner. */
  slotsOf: Record<string, typeof this.slots> = {};
  readonly waitList = new WaitList(this);
  readonly refundRequests = new RefundRequests(this);
  readonly keys = new Set<string>();

  find(bookingId: string): StaffBooking {
    const found = this.bookings.find(({ booking }) => booking?.bookingId === bookingId);
    if (!found) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
    return found;
  }

  replace(next: StaffBooking): StaffBooking {
    this.bookings = this.bookings.map((one) =>
      one.booking?.bookingId === next.booking?.bookingId ? next : one,
    );
    return next;
  }

  /** Does it once for each key, and may lose the answer. */
  async once(idempotencyKey: string, act: () => void): Promise<void> {
    await this.command();
    if (!this.keys.has(idempotencyKey)) act();
    this.keys.add(idempotencyKey);
    if (this.lost === 0) return;
    this.lost -= 1;
    throw new ConnectError('no answer', Code.Unavailable);
  }

  #mark({ bookingId, sessionNumber, attendance }: MarkAttendanceRequest): void {
    const staff = this.find(bookingId);
    const others = staff.marks.filter((mark) => mark.sessionNumber !== sessionNumber);
    const marks = [...others, create(SessionMarkSchema, { sessionNumber, attendance })];
    const said = attendance === Attendance.UNMARKED ? others : marks;
    this.replace(create(StaffBookingSchema, { ...staff, marks: said } as StaffInit));
  }

  #cancel({ bookingId }: CancelBookingRequest): void {
    const staff = this.find(bookingId);
    const booking = { ...staff.booking, state: BookingState.CANCELLED };
    this.replace(create(StaffBookingSchema, { ...staff, booking } as StaffInit));
  }

  change(bookingId: string, changes: Partial<BookingInit>): void {
    const staff = this.find(bookingId);
    const booking = { ...staff.booking, ...changes };
    this.replace(create(StaffBookingSchema, { ...staff, booking } as StaffInit));
  }

  /** Its client is asked to choose another time, until the start. */
  askForTime(bookingId: string, sessionNumber: number): void {
    const chooseUntilAt = this.find(bookingId).booking?.sessions[sessionNumber - 1]?.startsAt;
    const init = { sessionNumber, ...(chooseUntilAt && { chooseUntilAt }) };
    this.change(bookingId, { moveProposal: create(MoveProposalSchema, init) });
  }

  #propose({ bookingId, sessionNumber, shownStartsAt }: ProposeMoveRequest): void {
    const start = this.find(bookingId).booking?.sessions[Math.max(sessionNumber, 1) - 1]?.startsAt;
    if (start?.seconds !== shownStartsAt?.seconds) throw refusal(Code.Aborted, 'CHANGED_SINCE');
    this.askForTime(bookingId, sessionNumber || 1);
  }

  /** Moves the only session of a booking to another start. */
  moveSession(bookingId: string, start: Date): void {
    const staff = this.find(bookingId);
    const endsAt = timestampFromDate(new Date(start.getTime() + 60 * MINUTE_MS));
    const sessions = [create(SessionSchema, { startsAt: timestampFromDate(start), endsAt })];
    const version = (staff.booking?.version ?? 0n) + 1n;
    const booking = { ...staff.booking, sessions, version };
    this.replace(create(StaffBookingSchema, { ...staff, booking } as StaffInit));
  }

  #move({ bookingId, shownStartsAt, startsAt, practitionerId }: MoveBookingRequest): void {
    const now = this.find(bookingId).booking?.sessions[0]?.startsAt;
    if (now?.seconds !== shownStartsAt?.seconds) throw refusal(Code.Aborted, 'CHANGED_SINCE');
    this.moveSession(bookingId, startsAt ? timestampDate(startsAt) : new Date());
    if (practitionerId) this.change(bookingId, { practitionerId, practitionerName: 'Ravi Menon' });
  }

  /** Lets no refund of a booking wait any more, and says how much it was. */
  #settle(bookingId: string, reason: string, kept = 0n): bigint {
    const isMeant = (order: UnexplainedOrder) =>
      order.bookingId === bookingId && order.reason === reason;
    const sums = this.orders.filter(isMeant).map(({ amount }) => amount?.minorUnits ?? 0n);
    const sum = sums.reduce((all, one) => all + one, 0n);
    if (sum > kept) this.orders = this.orders.filter((order) => !isMeant(order));
    return sum;
  }

  transport() {
    return createRouterTransport((router) => {
      const { service } = router;
      this.waitList.serve(router);
      this.refundRequests.serve(router);
      service(BookingStaffService, {
        getOwnRole: () => ({ role: this.role }),
        listBookings: () => {
          this.read();
          return { bookings: this.bookings };
        },
        listBlockedTimes: () => {
          this.read();
          if (this.blockedDown) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
          return { blockedTimes: this.blocked };
        },
        blockTime: async ({ date, fromTime, toTime, idempotencyKey }) => {
          const on = (time: string) => new Date(`${date}T${time}:00+05:30`);
          await this.once(idempotencyKey, () => {
            const block = closedTime(
              this.blocked.length + 1,
              on(fromTime || '00:00'),
              on(toTime || '23:59'),
            );
            this.blocked = [...this.blocked, block];
          });
          const blockedTime = this.blocked.at(-1);
          return { ...(blockedTime && { blockedTime }) };
        },
        unblockTime: async ({ blockId }) => {
          await this.command();
          const left = this.blocked.filter((block) => block.blockId !== blockId);
          if (left.length === this.blocked.length) {
            throw refusal(Code.NotFound, 'BLOCK_NOT_FOUND');
          }
          this.blocked = left;
          return {};
        },
        requestPhoneBooking: async (asked) => {
          await this.once(asked.idempotencyKey, () => this.phoneBookings.push(asked));
          const [startsAt] = asked.startsAt;
          const start = startsAt ? timestampDate(startsAt) : new Date();
          const changes = { state: BookingState.HELD, contact: asked.contact };
          return { booking: staffBooking(9, start, changes as never), pageKey: 'key-of-the-page' };
        },
        findBookings: ({ reference }) => {
          this.read();
          const isMeant = ({ booking }: StaffBooking) =>
            booking?.bookingId.endsWith(reference.toLowerCase()) ?? false;
          return { bookings: this.bookings.filter(isMeant) };
        },
        listParkedEvents: () => ({ events: this.parked }),
        retryParkedEvents: async ({ streamId }) => {
          await this.command();
          this.tasksDone.push(`retry ${streamId}`);
          this.parked = [];
          return {};
        },
        getBookingHistory: () => ({
          entries: [
            { event: 'BookingRequested', recordedAt: at('2026-11-20T05:00:00Z') },
            { event: 'BookingConfirmed', recordedAt: at('2026-11-20T05:02:00Z') },
          ],
          moveReasons: this.moveReasons,
        }),
        getJoinPage: ({ bookingId }) => ({ bookingId, joinUrl: 'https://meet.example/room' }),
        previewCancellation: ({ bookingId }) => {
          this.read();
          const booking = this.find(bookingId);
          const sessions = booking.booking?.sessions ?? [];
          const more = this.grace && { grace: this.grace };
          return { booking, sessions, refund: rupees(this.refund), ...more };
        },
        previewMove: ({ bookingId, practitionerId }) => {
          this.read();
          const slots = this.slotsOf[practitionerId] ?? this.slots;
          return { booking: this.find(bookingId), slots };
        },
        moveBooking: async (asked) => {
          this.moves.push(asked);
          await this.once(asked.idempotencyKey, () => this.#move(asked));
          return { booking: this.find(asked.bookingId) };
        },
        proposeMove: async (asked) => {
          this.proposals.push(asked);
          await this.once(asked.idempotencyKey, () => this.#propose(asked));
          return { booking: this.find(asked.bookingId) };
        },
        withdrawMoveProposal: async ({ bookingId, idempotencyKey }) => {
          await this.once(idempotencyKey, () => {
            const open = this.find(bookingId).booking?.moveProposal;
            if (!open) throw refusal(Code.FailedPrecondition, 'NO_MOVE_PROPOSAL');
            this.change(bookingId, { moveProposal: undefined } as never);
          });
          return { booking: this.find(bookingId) };
        },
        markAttendance: async (asked) => {
          await this.once(asked.idempotencyKey, () => {
            this.marks.push(asked);
            this.#mark(asked);
          });
          return { booking: this.find(asked.bookingId) };
        },
        cancelBooking: async (asked) => {
          await this.once(asked.idempotencyKey, () => {
            this.cancels.push(asked);
            this.#cancel(asked);
          });
          return { booking: this.find(asked.bookingId), refund: rupees(this.refund) };
        },
      });
      service(BookingService, {
        listSlots: () => {
          this.read();
          return this.slots;
        },
      });
      service(ConsentStaffService, {
        listWithdrawnConsents: () => ({ bookings: this.consents }),
      });
      service(BookingCalendarStaffService, {
        listCalendarSources: () => ({ sources: this.sources }),
        readCalendarSource: async ({ calendarId }) => {
          await this.command();
          this.tasksDone.push(`read ${calendarId}`);
          this.sources = [];
          return {};
        },
      });
      service(PaymentsStaffService, {
        listParkedEvents: () => ({}),
        listUnexplainedOrders: () => ({ orders: this.orders }),
        explainOrder: async ({ subject, explanation }) => {
          await this.command();
          this.tasksDone.push(`explain ${subject}: ${explanation}`);
          this.orders = [];
          return {};
        },
        getPaymentHistory: () => ({
          receipts: ['SUK/26-27/00001'],
          entries: [
            {
              event: 'PaymentVerified',
              recordedAt: at('2026-11-20T05:01:00Z'),
              amount: rupees(150_000n),
            },
          ],
        }),
        refundPayment: async (asked) => {
          await this.once(asked.idempotencyKey, () => this.refunds.push(asked));
          return { amount: asked.amount ?? rupees(0n) };
        },
        getKeptAmount: () => ({ amount: rupees(this.kept) }),
        giveBackKept: async (asked) => {
          await this.once(asked.idempotencyKey, () => {
            this.keptGiven.push(asked);
            this.kept = 0n;
          });
          return { amount: asked.amount ?? rupees(0n), atDesk: this.atDesk };
        },
        releaseRefund: async ({ bookingId }) => {
          await this.command();
          this.released.push(bookingId);
          const sum = this.#settle(bookingId, 'REFUND_HELD', this.deducted);
          const why = sum > 0n ? 'REFUND_DEDUCTED' : 'REFUND_NOT_HELD';
          if (sum <= this.deducted) throw refusal(Code.FailedPrecondition, why);
          return { amount: rupees(sum - this.deducted) };
        },
        recordDeskRefund: async (asked) => {
          await this.once(asked.idempotencyKey, () => {
            const sum = this.#settle(asked.bookingId, 'OWED_AT_DESK');
            if (sum === 0n) throw refusal(Code.FailedPrecondition, 'NOTHING_OWED');
            this.givenBack.push(asked);
          });
          return {};
        },
        recordDeskPayment: async (asked) => {
          await this.once(asked.idempotencyKey, () => this.payments.push(asked));
          return {};
        },
      });
      service(OrganisationStaffService, { listMembers: () => ({ members: this.members }) });
      service(NotificationsStaffService, {
        listParkedEvents: () => ({}),
        settleMail: async ({ mailId }) => {
          await this.command();
          this.tasksDone.push(`settle ${mailId}`);
          this.mails = [];
          return {};
        },
        listMails: ({ state }) => {
          if (this.mailsDown) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
          if (state === DeliveryState.FAILED) return { mails: this.mails };
          const mail = {
            mailId: 'mal_1',
            kind: MailKind.BOOKING_CONFIRMED,
            state: DeliveryState.SENT,
            sentAt: at('2026-11-20T05:03:00Z'),
          };
          return { mails: [mail] };
        },
      });
    });
  }
}
