/** The page of one placed booking and what its key can do, for tests. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  BookingService,
  BookingState,
  PaymentState,
  PendingCancellationSchema,
  ToldLateSchema,
} from '@/gen/booking/v1/booking_service_pb';
import {
  type PaymentPage,
  PaymentPageSchema,
  PaymentPageService,
} from '@/gen/booking/v1/payment_page_service_pb';
import {
  type CancelByPageRequest,
  type MoveByPageRequest,
  SessionPageService,
} from '@/gen/booking/v1/session_page_service_pb';
import { PagePaymentService } from '@/gen/payments/v1/page_payment_service_pb';
import { Answering } from './answering';
import { bookingFixture, slotsFixture } from './booking-fixture';
import { rupees } from './receipt-fixture';
import { refusal } from './refusal';

export const PAGE_KEY = 'Ab_-'.repeat(11).slice(0, 43);
export const PAGE_CODE = '042731';
const UNDO_MS = 180_000;

type PageInit = MessageInitShape<typeof PaymentPageSchema>;

/** A paid session of ₹1,500 online on 24 November, 11:00 am IST. */
export function sessionPageFixture(changes: PageInit = {}): PaymentPage {
  const price = rupees(150_000n);
  const { bookingId, serviceId, serviceTitle, sessions, timeZone, mode, cancellationPolicy } =
    bookingFixture({ price } as Parameters<typeof bookingFixture>[0]);
  const init: PageInit = {
    ...{ bookingId, serviceId, serviceTitle, sessions, timeZone, mode, cancellationPolicy },
    ...{ price, paid: price, practitionerName: 'Meera Joshi', firstName: 'Asha' },
    state: BookingState.MEETING_SCHEDULED,
    paymentState: PaymentState.PAID,
    joinKey: 'join-key',
  };
  return create(PaymentPageSchema, { ...init, ...changes } as PageInit);
}

export class SessionPageServer extends Answering {
  page = sessionPageFixture();
  /** Why the page can't be read. */
  unreadable: ConnectError | undefined;
  refund = 150_000n;
  /** Whether a cancellation, and a move, needs a code. */
  codeNeeded = { cancel: false, move: true };
  codes = 0;
  suggested: Date[] = [];
  slots = slotsFixture([]);
  cancels: CancelByPageRequest[] = [];
  moves: MoveByPageRequest[] = [];
  undos: string[] = [];
  late: number[] = [];
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  readonly #done = new Set<string>();

  tell(changes: PageInit): void {
    this.page = create(PaymentPageSchema, { ...this.page, ...changes } as PageInit);
  }

  /** The cancellation takes effect: what is left is the money. */
  takeEffect(): void {
    const { bookingId, price, paid, paidAtDesk } = this.page;
    this.page = create(PaymentPageSchema, {
      ...{ bookingId, price, paid, paidAtDesk, moneyOnly: true, state: BookingState.CANCELLED },
      refundComing: rupees(this.refund),
    } as PageInit);
  }

  #open(pageKey: string): void {
    this.read();
    this.#let(pageKey);
  }

  #let(pageKey: string): void {
    if (this.unreadable) throw this.unreadable;
    if (pageKey !== PAGE_KEY) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
  }

  #answer() {
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return { page: this.page };
  }

  async #act(pageKey: string, code: string, needed: boolean): Promise<void> {
    await this.command();
    this.#let(pageKey);
    if (!needed) return;
    if (!code) throw refusal(Code.FailedPrecondition, 'PAGE_CODE_REQUIRED');
    if (code !== PAGE_CODE) throw refusal(Code.FailedPrecondition, 'PAGE_CODE_WRONG');
  }

  async #cancel(request: CancelByPageRequest) {
    this.cancels.push(request);
    const { pageKey, idempotencyKey, sessionNumber, code, shownRefund } = request;
    if (this.#done.has(idempotencyKey)) return this.#answer();
    await this.#act(pageKey, code, this.codeNeeded.cancel);
    if ((shownRefund?.minorUnits ?? 0n) > this.refund) throw refusal(Code.Aborted, 'REFUND_FELL');
    this.#done.add(idempotencyKey);
    const pendingCancellation = create(PendingCancellationSchema, {
      sessionNumber,
      refund: rupees(this.refund),
      takesEffectAt: timestampFromDate(new Date(Date.now() + UNDO_MS)),
    });
    this.tell({ pendingCancellation });
    return this.#answer();
  }

  async #move(request: MoveByPageRequest) {
    this.moves.push(request);
    const { pageKey, idempotencyKey, code, startsAt } = request;
    if (this.#done.has(idempotencyKey)) return this.#answer();
    await this.#act(pageKey, code, this.codeNeeded.move);
    this.#done.add(idempotencyKey);
    const start = startsAt ? timestampDate(startsAt) : new Date();
    const { sessions } = bookingFixture({
      sessions: this.page.sessions.map((session) => ({
        ...session,
        startsAt: timestampFromDate(start),
        endsAt: timestampFromDate(new Date(start.getTime() + 2_700_000)),
      })),
    });
    this.tell({ sessions, moveProposal: undefined } as PageInit);
    return this.#answer();
  }

  transport() {
    return createRouterTransport(({ service }) => {
      service(BookingService, { listSlots: () => slotsFixture([]) });
      service(PagePaymentService, { listPageReceipts: () => ({ receipts: [] }) });
      service(PaymentPageService, {
        getPaymentPage: ({ pageKey }) => {
          this.#open(pageKey);
          return { page: this.page };
        },
      });
      service(SessionPageService, {
        requestPageCode: async ({ pageKey }) => {
          await this.#act(pageKey, '', false);
          this.codes += 1;
          return { validMinutes: 15 };
        },
        previewPageCancellation: ({ pageKey }) => {
          this.#open(pageKey);
          const cancellation = { sessionNumbers: [1], refund: rupees(this.refund) };
          return { cancellation, codeNeeded: this.codeNeeded.cancel };
        },
        cancelByPage: (request) => this.#cancel(request),
        undoByPage: async ({ pageKey, idempotencyKey }) => {
          this.undos.push(idempotencyKey);
          await this.#act(pageKey, '', false);
          this.tell({ pendingCancellation: undefined } as PageInit);
          return this.#answer();
        },
        previewPageMove: ({ pageKey }) => {
          this.#open(pageKey);
          const suggestedStartsAt = this.suggested.map((at) => timestampFromDate(at));
          const move = { slots: this.slots, suggestedStartsAt };
          return { move, codeNeeded: this.codeNeeded.move };
        },
        moveByPage: (request) => this.#move(request),
        tellLateByPage: async ({ pageKey, minutes }) => {
          this.late.push(minutes);
          await this.#act(pageKey, '', false);
          const told = create(ToldLateSchema, { sessionNumber: 1, minutes });
          this.tell({ toldLate: minutes > 0 ? told : undefined } as PageInit);
          return this.#answer();
        },
      });
    });
  }
}
