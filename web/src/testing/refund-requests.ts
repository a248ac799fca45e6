/** The calls of clients' requests for refunds as a test plays them, for the desk. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import {
  type AnswerRefundRequestRequest,
  type RefundRequest,
  RefundRequestSchema,
  RefundRequestStaffService,
  RefundRequestState,
} from '@/gen/payments/v1/refund_request_service_pb';
import type { Answering } from './answering';
import { at } from './booking-fixture';
import { refusal } from './refusal';

type RequestInit = MessageInitShape<typeof RefundRequestSchema>;

/** Asked on 24 November, 10:30 am, to be answered two days later. */
export function refundRequest(bookingId: string, changes: RequestInit = {}): RefundRequest {
  const init: RequestInit = {
    ...{ requestId: 'rrq_1', number: 'R-17', bookingId, state: RefundRequestState.OPEN },
    reason: 'The line broke off twice.',
    requestedAt: at('2026-11-24T05:00:00Z'),
    answerByAt: at('2026-11-26T05:00:00Z'),
    closeByAt: at('2026-12-04T05:00:00Z'),
  };
  return create(RefundRequestSchema, { ...init, ...changes } as RequestInit);
}

type Server = Answering & { once: (key: string, act: () => void) => Promise<void> };

export class RefundRequests {
  all: RefundRequest[] = [];
  answers: AnswerRefundRequestRequest[] = [];
  /** The bookings were paid at the desk. */
  atDesk = false;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  #answer(asked: AnswerRefundRequestRequest): void {
    const found = this.all.find(({ requestId }) => requestId === asked.requestId);
    if (!found) throw refusal(Code.NotFound, 'REFUND_REQUEST_NOT_FOUND');
    const isOpen = found.state === RefundRequestState.OPEN;
    if (!isOpen) throw refusal(Code.FailedPrecondition, 'ALREADY_ANSWERED');
    found.state = asked.amount ? RefundRequestState.GRANTED : RefundRequestState.DECLINED;
    if (asked.amount) found.amount = asked.amount;
    found.answer = asked.answer;
    found.answeredAt = at('2026-11-25T05:00:00Z');
    this.answers.push(asked);
  }

  serve({ service }: ConnectRouter): void {
    service(RefundRequestStaffService, {
      listRefundRequests: ({ includeAnswered }) => ({
        requests: this.all.filter(
          ({ state }) => includeAnswered || state === RefundRequestState.OPEN,
        ),
      }),
      answerRefundRequest: async (asked) => {
        await this.#server.once(asked.idempotencyKey, () => this.#answer(asked));
        const request = this.all.find(({ requestId }) => requestId === asked.requestId);
        return { ...(request && { request }), atDesk: this.atDesk };
      },
    });
  }
}
