/** The address of one client's own calendar, for tests. */
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import {
  BookingCalendarService,
  type OwnCalendar,
  OwnCalendarSchema,
  type RenewOwnCalendarRequest,
} from '@/gen/booking/v1/booking_calendar_service_pb';
import { Answering } from './answering';

export class OwnCalendarServer extends Answering {
  calendar: OwnCalendar = create(OwnCalendarSchema);
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  /** What the next reads are refused with. */
  unreadable: ConnectError | undefined;
  /** How often it was asked for. */
  reads = 0;
  renewals: RenewOwnCalendarRequest[] = [];
  stops = 0;
  readonly #done = new Set<string>();

  /** Gives it an address, numbered by the renewals that were done. */
  make(details: boolean): void {
    this.calendar = create(OwnCalendarSchema, {
      path: `/calendars/secret-${this.#done.size}.ics`,
      details,
      renewedAt: timestampFromDate(new Date()),
    });
  }

  async #read() {
    this.reads += 1;
    await this.gate;
    this.read();
    if (this.unreadable) throw this.unreadable;
    return { calendar: this.calendar };
  }

  #answer<Answer>(answer: Answer): Answer {
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return answer;
  }

  async #renew(request: RenewOwnCalendarRequest) {
    this.renewals.push(request);
    await this.command();
    const { idempotencyKey, details } = request;
    if (!this.#done.has(idempotencyKey)) {
      this.#done.add(idempotencyKey);
      this.make(details);
    }
    return this.#answer({ calendar: this.calendar });
  }

  async #stop() {
    this.stops += 1;
    await this.command();
    this.calendar = create(OwnCalendarSchema);
    return this.#answer({});
  }

  serve(service: ConnectRouter['service']): void {
    service(BookingCalendarService, {
      getOwnCalendar: () => this.#read(),
      renewOwnCalendar: (request) => this.#renew(request),
      stopOwnCalendar: () => this.#stop(),
    });
  }
}
