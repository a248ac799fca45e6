/** The consent services of one client, for tests. */
import { create } from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import type { Consent } from '@/gen/booking/v1/booking_service_pb';
import {
  type ConsentRecord,
  ConsentRecordSchema,
  ConsentService,
} from '@/gen/booking/v1/consent_service_pb';
import { CatalogueService } from '@/gen/catalogue/v1/catalogue_service_pb';
import { at } from './booking-fixture';
import { refusal } from './refusal';

const GIVEN = '2026-11-22T05:30:00Z';
const WITHDRAWN = '2026-11-23T05:30:00Z';

/** Terms in a version that a test can change, and the consents that came with bookings. */
export class ConsentServer {
  version = '2026-11-20.a';
  records: ConsentRecord[] = [];
  given: Consent[] = [];

  /** A consent that was given before the test began. */
  giveBefore(version = this.version): void {
    this.take(
      {
        $typeName: 'booking.v1.Consent',
        version,
        fullName: 'Asha Rao',
        email: 'asha@example.org',
        signature: 'A. Rao',
        acceptedDeclaration: true,
      },
      'bkg_1',
    );
  }

  take(consent: Consent | undefined, bookingId: string): void {
    if (!consent) return;
    this.given.push(consent);
    const { version, fullName, email, signature } = consent;
    const consentId = `cns_${this.records.length + 1}`;
    const record = { consentId, bookingId, version, fullName, email, signature };
    this.records.push(create(ConsentRecordSchema, { ...record, givenAt: at(GIVEN) }));
  }

  #own() {
    const consent = this.records.at(-1);
    const current = consent?.version === this.version && !consent.withdrawnAt;
    return { currentVersion: this.version, current, ...(consent && { consent }) };
  }

  #withdraw() {
    const last = this.records.at(-1);
    if (!last) throw refusal(Code.NotFound, 'CONSENT_NOT_FOUND');
    last.withdrawnAt = at(WITHDRAWN);
    return { consent: last };
  }

  serve(service: ConnectRouter['service']): void {
    service(ConsentService, {
      getConsent: () => this.#own(),
      getConsentFile: ({ consentId }) => ({
        filename: 'consent-2026-11-22.txt',
        content: `Record: ${consentId}`,
        fingerprint: 'ab',
      }),
      withdrawConsent: () => this.#withdraw(),
    });
    service(CatalogueService, {
      getConsentTerms: () => ({
        terms: {
          version: this.version,
          introduction: ['Please read these terms.'],
          terms: [
            { title: 'Nature of services', paragraphs: ['They support your wellbeing.'] },
            { title: 'Age', paragraphs: ['You are 18 or older.'] },
          ],
          declaration: 'I have read and understood these terms.',
        },
      }),
    });
  }
}
