/** The calls of the wait list as a test plays them, for the desk. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import {
  type EndWaitingRequest,
  type OfferTimeRequest,
  type StaffWaiting,
  StaffWaitingSchema,
  type WaitingOffer,
  WaitingOfferSchema,
  WaitingSchema,
  WaitingStaffService,
} from '@/gen/booking/v1/waiting_service_pb';
import type { Answering } from './answering';
import { at } from './booking-fixture';
import { refusal } from './refusal';

type Changes = {
  firstName?: string;
  offersLapsed?: number;
  waiting?: MessageInitShape<typeof WaitingSchema>;
};

/** A client who waits for Meditation online, on any day and with anyone. */
export function waitingClient(number: number, changes: Changes = {}): StaffWaiting {
  const waiting = create(WaitingSchema, {
    waitingId: `wai_${number}`,
    wish: { serviceId: 'meditation', mode: SessionMode.ONLINE },
    serviceTitle: 'Meditation',
    joinedAt: at('2026-11-20T05:30:00Z'),
    endsAt: at('2027-01-19T05:30:00Z'),
    ...changes.waiting,
  } as MessageInitShape<typeof WaitingSchema>);
  const { firstName = 'Asha', offersLapsed = 0 } = changes;
  const email = `client${number}@example.org`;
  const customerId = `usr_${number}`;
  return create(StaffWaitingSchema, { waiting, customerId, firstName, email, offersLapsed });
}

/** Thursday, 26 November, 11:00 am, held until 1:05 pm of the 24th. */
export function offerFixture(): WaitingOffer {
  return create(WaitingOfferSchema, {
    offerId: 'blk_7',
    practitionerId: 'lead',
    practitionerName: 'Meera Joshi',
    startsAt: at('2026-11-26T05:30:00Z'),
    endsAt: at('2026-11-26T06:30:00Z'),
    heldUntilAt: at('2026-11-24T07:35:00Z'),
  });
}

type Server = Answering & { once: (key: string, act: () => void) => Promise<void> };

export class WaitList {
  entries: StaffWaiting[] = [];
  /** So many stand on a page. */
  fits = 50;
  offers: OfferTimeRequest[] = [];
  ended: EndWaitingRequest[] = [];
  reads = 0;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  #find(waitingId: string): StaffWaiting {
    const found = this.entries.find(({ waiting }) => waiting?.waitingId === waitingId);
    if (!found) throw refusal(Code.NotFound, 'WAITING_NOT_FOUND');
    return found;
  }

  #offer(asked: OfferTimeRequest): void {
    const { waiting } = this.#find(asked.waitingId);
    if (waiting) waiting.offer = offerFixture();
    this.offers.push(asked);
  }

  serve({ service }: ConnectRouter): void {
    service(WaitingStaffService, {
      listWaiting: ({ pageToken }) => {
        this.#server.read();
        this.reads += 1;
        const from = Number(pageToken);
        const next = from + this.fits;
        const nextPageToken = next < this.entries.length ? String(next) : '';
        return { waiting: this.entries.slice(from, next), nextPageToken };
      },
      offerTime: async (asked) => {
        await this.#server.once(asked.idempotencyKey, () => this.#offer(asked));
        return { offer: offerFixture() };
      },
      endWaiting: async (asked) => {
        await this.#server.command();
        this.ended.push(asked);
        this.entries = this.entries.filter(({ waiting }) => waiting?.waitingId !== asked.waitingId);
        return {};
      },
    });
  }
}
