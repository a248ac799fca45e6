/** The refund that one client may ask for, for tests. */
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import {
  type RefundRequest,
  RefundRequestSchema,
  RefundRequestService,
  RefundRequestState,
  type RequestRefundRequest,
} from '@/gen/payments/v1/refund_request_service_pb';
import { Answering } from './answering';
import { at, BOOKING_ID } from './booking-fixture';

const TWO_DAYS_MS = 172_800_000;

/** A request of 24 November, 12:30 pm IST, that waits for an answer. */
export function refundRequestFixture(changes: Partial<RefundRequest> | object = {}): RefundRequest {
  return create(RefundRequestSchema, {
    requestId: `rrq_${'2'.repeat(32)}`,
    number: 'R-17',
    bookingId: BOOKING_ID,
    requestedAt: at('2026-11-24T07:00:00Z'),
    answerByAt: at('2026-11-26T07:00:00Z'),
    closeByAt: at('2026-12-08T07:00:00Z'),
    state: RefundRequestState.OPEN,
    ...changes,
  } as object);
}

export class RefundRequestServer extends Answering {
  request: RefundRequest | undefined;
  /** Nothing was paid. */
  unpaid = false;
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  requests: RequestRefundRequest[] = [];

  #read() {
    this.read();
    const times = { fromAt: at('2026-11-24T05:30:00Z'), untilAt: at('2026-11-26T06:15:00Z') };
    return { ...(this.request && { request: this.request }), ...(this.unpaid ? {} : times) };
  }

  async #ask(asked: RequestRefundRequest) {
    this.requests.push(asked);
    await this.command();
    const requestedAt = timestampFromDate(new Date());
    const answerByAt = timestampFromDate(new Date(Date.now() + TWO_DAYS_MS));
    const { reason } = asked;
    this.request ??= refundRequestFixture({ requestedAt, answerByAt, reason });
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return { request: this.request };
  }

  serve(service: ConnectRouter['service']): void {
    service(RefundRequestService, {
      getRefundRequest: () => this.#read(),
      requestRefund: (request) => this.#ask(request),
    });
  }
}
