/**
 * What the practice's files said when the pages were rendered: the very messages of catalogue.v1,
 * written into each page as a data block and read again before hydration.
 */
import type {
  Faq,
  FaqGroup,
  MeditationGuide,
  Package,
  Practice,
  QuizArea,
  Service,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import type { LegalTexts, LegalVersions } from './legal-text';

export type Snapshot = {
  practice: Practice;
  services: Service[];
  packages: Package[];
  /** The one that costs nothing, where the practice has it; it is none of the services. */
  consultation?: Service | undefined;
  /** What the quiz asks about. */
  quizAreas: QuizArea[];
  faqGroups: FaqGroup[];
  /** The questions of the home page. */
  quickAnswers: Faq[];
  /** Only in the document of the page that shows it: it is long, and no other page needs it. */
  guide?: MeditationGuide;
  /** Each only in the document of its own page. */
  legal?: Partial<LegalTexts>;
  /** Which versions of the legal texts the pages of this build show. */
  legalVersions?: LegalVersions;
  /** What the reviews service answers about one review, as JSON: only in that review's document. */
  review?: unknown;
};

export const SNAPSHOT_ID = 'practice-data';

/** The one 64-bit field in these messages; JSON has no number for it. */
const BIGINT_FIELD = 'minorUnits';

/** JSON that is safe inside a script element. */
export function serializeSnapshot(snapshot: Snapshot): string {
  const json = JSON.stringify(snapshot, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return json.replace(/</g, '\\u003c');
}

export function parseSnapshot(json: string): Snapshot {
  return JSON.parse(json, (key, value: unknown) =>
    key === BIGINT_FIELD && typeof value === 'string' ? BigInt(value) : value,
  ) as Snapshot;
}

/** Reads the page's data block. */
export function readSnapshot(): Snapshot {
  const block = document.getElementById(SNAPSHOT_ID);
  if (!block?.textContent) throw new Error('The page has no practice data.');
  return parseSnapshot(block.textContent);
}
