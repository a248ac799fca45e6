/** What one client chose about mails, for tests. */
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  BookingService,
  type MailPreferences,
  MailPreferencesSchema,
} from '@/gen/booking/v1/booking_service_pb';
import { Answering } from './answering';

export class MailPreferencesServer extends Answering {
  preferences: MailPreferences = create(MailPreferencesSchema, {
    reminderHours: [24, 1],
    thanks: true,
  });
  chosen = false;
  /** What the next reads are refused with. */
  unreadable: ConnectError | undefined;
  /** So many answers to commands are lost after the command was done. */
  lost = 0;
  saved: MailPreferences[] = [];

  async #save(preferences: MailPreferences | undefined) {
    const wanted = preferences ?? create(MailPreferencesSchema);
    this.saved.push(wanted);
    await this.command();
    this.preferences = wanted;
    this.chosen = true;
    this.lost -= 1;
    if (this.lost >= 0) throw new ConnectError('Failed to fetch', Code.Unknown);
    return { preferences: wanted };
  }

  transport() {
    return createRouterTransport(({ service }) => {
      service(BookingService, {
        getMailPreferences: () => {
          this.read();
          if (this.unreadable) throw this.unreadable;
          return { preferences: this.preferences, chosen: this.chosen };
        },
        setMailPreferences: ({ preferences }) => this.#save(preferences),
      });
    });
  }
}
