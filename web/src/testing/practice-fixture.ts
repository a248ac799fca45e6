/** The practice as the local files describe it, for tests of pages. */
import { resolve } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Practitioner, PractitionerSchema } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from '@/lib/snapshot';
import { readLegalVersions } from '@/prerender/legal-versions';
import { readPracticeFiles } from '@/prerender/practice-files';

/** Two practitioners. */
export function practitionersFixture(): Practitioner[] {
  const all = { lead: 'Meera Joshi', ravi: 'Ravi Menon' };
  return Object.entries(all).map(([practitionerId, name]) =>
    create(PractitionerSchema, { practitionerId, name }),
  );
}

export function practiceFixture(): Snapshot {
  const folder = resolve(import.meta.dirname, '../../../deploy/local/practice');
  return { ...readPracticeFiles(folder), legalVersions: readLegalVersions(folder) };
}
