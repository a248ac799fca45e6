/** The wait list of one client, for tests. */
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import {
  type JoinWaitingRequest,
  type Waiting,
  type WaitingOffer,
  WaitingOfferSchema,
  WaitingSchema,
  WaitingService,
} from '@/gen/booking/v1/waiting_service_pb';
import { Answering } from './answering';
import { at } from './booking-fixture';
import { refusal } from './refusal';

export const OFFER_ID = `blk_${'0f'.repeat(16)}`;

type Changes = Partial<Waiting> | object;

/** Someone waits for General Consultation since 21 November. */
export function waitingFixture(changes: Changes = {}): Waiting {
  return create(WaitingSchema, {
    waitingId: `wai_${'1'.repeat(32)}`,
    wish: { serviceId: 'general-consultation', noticeMinutes: 180 },
    serviceTitle: 'General Consultation',
    joinedAt: at('2026-11-21T05:30:00Z'),
    endsAt: at('2027-01-20T18:30:00Z'),
    ...changes,
  } as object);
}

/** 25 November, 11:00 am IST, held from 11:00 am of 22 November until 1:00 pm. */
export function offerFixture(changes: Partial<WaitingOffer> | object = {}): WaitingOffer {
  return create(WaitingOfferSchema, {
    offerId: OFFER_ID,
    practitionerId: 'lead',
    practitionerName: 'Meera Joshi',
    startsAt: at('2026-11-25T05:30:00Z'),
    endsAt: at('2026-11-25T06:15:00Z'),
    heldUntilAt: at('2026-11-22T07:30:00Z'),
    ...changes,
  } as object);
}

export class WaitingServer extends Answering {
  list: Waiting[] = [];
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  joins: JoinWaitingRequest[] = [];
  left: string[] = [];
  declined: string[] = [];
  /** What the next reads are refused with. */
  unreadable: ConnectError | undefined;

  #answer<Answer>(answer: Answer): Answer {
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return answer;
  }

  #find(waitingId: string): Waiting {
    const found = this.list.find((one) => one.waitingId === waitingId);
    if (!found) throw refusal(Code.NotFound, 'WAITING_NOT_FOUND');
    return found;
  }

  /** The time is offered to someone else by now. */
  endOffer(): void {
    this.list = this.list.map(({ offer: _gone, ...rest }) => rest);
  }

  async #join(request: JoinWaitingRequest) {
    this.joins.push(request);
    await this.command();
    const known = this.list.find((one) => one.wish?.serviceId === request.wish?.serviceId);
    const waiting = known ?? waitingFixture({ ...(request.wish && { wish: request.wish }) });
    if (!known) this.list = [...this.list, waiting];
    return this.#answer({ waiting });
  }

  async #leave(waitingId: string) {
    this.left.push(waitingId);
    await this.command();
    this.#find(waitingId);
    this.list = this.list.filter((one) => one.waitingId !== waitingId);
    return this.#answer({});
  }

  async #decline(waitingId: string, offerId: string) {
    this.declined.push(offerId);
    await this.command();
    this.#find(waitingId);
    this.endOffer();
    return this.#answer({});
  }

  serve(service: ConnectRouter['service']): void {
    service(WaitingService, {
      joinWaiting: (request) => this.#join(request),
      listOwnWaiting: () => {
        this.read();
        if (this.unreadable) throw this.unreadable;
        return { waiting: this.list, timeZone: 'Asia/Kolkata' };
      },
      leaveWaiting: ({ waitingId }) => this.#leave(waitingId),
      declineOffer: ({ waitingId, offerId }) => this.#decline(waitingId, offerId),
    });
  }
}
