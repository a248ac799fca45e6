/**
 * The list on the privacy page of all that is stored and of who receives something, made from the
 * table docs/stored.csv. A test compares that table with what the code keeps, so the list is true
 * whatever a practice has written above it.
 */
import { readFileSync } from 'node:fs';
import type { LegalBlock, LegalSection } from '@/lib/legal-text';

const TABLE = '../docs/stored.csv';

/** The parts of the list, and the words of each. */
const DATABASE: readonly (readonly [string, string])[] = [
  ['account', 'Your account'],
  ['signin', 'Signing in, and protecting accounts'],
  ['booking', 'Your bookings'],
  ['consent', 'Your consent to online sessions'],
  ['payment', 'Payments and receipts'],
  ['review', 'Reviews'],
  ['form', 'Messages and requests'],
  ['mail', 'Emails'],
  ['staff', 'Our own staff'],
];
const BROWSER: readonly (readonly [string, string])[] = [
  ['cookie', 'Cookies, which no script can read and no other site gets'],
  ['local', 'Kept after you close the tab'],
  ['tab', 'Kept in one tab'],
  ['channel', 'Told to other tabs of this site'],
];

export type StoredRow = {
  kind: string;
  name: string;
  personal: boolean;
  group: string;
  what: string;
  kept: string;
};

export function readStored(file = TABLE): StoredRow[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [kind = '', name = '', personal = '', group = '', what = '', kept = ''] = line.split(',');
    return { kind, name, personal: personal === 'yes', group, what, kept };
  });
}

const paragraph = (text: string): LegalBlock => ({ kind: 'paragraph', words: [{ text }] });

function list(lines: Iterable<string>): LegalBlock {
  return { kind: 'list', items: [...new Set(lines)].map((text) => [{ text }]) };
}

/** What is kept for the same time stands in one line. */
function byTime(rows: readonly StoredRow[]): string[] {
  const times = new Map<string, Set<string>>();
  for (const { what, kept } of rows) {
    times.set(kept, (times.get(kept) ?? new Set()).add(what));
  }
  return [...times].map(([kept, whats]) => `Kept ${kept}: ${[...whats].join('; ')}`);
}

function part(title: string, lines: string[]): LegalBlock[] {
  return lines.length > 0 ? [paragraph(`${title}:`), list(lines)] : [];
}

/** The sections that end the privacy page. */
export function storedSections(rows = readStored()): LegalSection[] {
  const personal = rows.filter((row) => row.personal && row.kind === 'column');
  const database = DATABASE.flatMap(([group, title]) =>
    part(title, byTime(personal.filter((row) => row.group === group))),
  );
  const browser = BROWSER.flatMap(([kind, title]) => {
    const kept = rows.filter((row) => row.kind === kind);
    return part(
      title,
      kept.map((row) => `“${row.name}”: ${row.what}. Kept ${row.kept}`),
    );
  });
  const receivers = rows
    .filter((row) => row.kind === 'processor')
    .map((row) => `${row.name}: ${row.what}. Kept ${row.kept}`);
  return [
    {
      id: 'list-of-what-is-stored',
      title: 'The list: what is stored, and for how long',
      blocks: [
        paragraph(
          'This list comes with the software of this website and is compared with it, so it is complete. “A scrambled form” can be compared, and no one can read it.',
        ),
        ...database,
      ],
    },
    {
      id: 'list-of-what-is-in-your-browser',
      title: 'The list: what is in your browser',
      blocks: [
        ...browser,
        paragraph(
          'A cookie’s name begins with “__Host-” on a site with https. When you are about to pay, the payment provider’s window is loaded, and it may store something of its own.',
        ),
      ],
    },
    {
      id: 'list-of-who-receives-something',
      title: 'The list: who receives something',
      blocks: [list(receivers)],
    },
  ];
}
