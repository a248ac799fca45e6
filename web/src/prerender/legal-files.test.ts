/** The legal texts as their pages are written from them, also of a folder that has none. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOT_FOUND } from '@/app/pages';
import { matchPage } from '@/app/router';
import { LEGAL_NAMES, type LegalBlock, type LegalText, type LegalWords } from '@/lib/legal-text';
import { readLegalFiles } from './legal-files';
import { OUR_PRACTICE } from './practice-files';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'legal-'));
  cpSync(join(OUR_PRACTICE, 'practice.toml'), join(folder, 'practice.toml'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The folder's terms, of these words and of one section. */
function termsOf(
  text: string,
  top = 'changed = "2026-11-22"\nintroduction = "Read this."',
): LegalText {
  writeFileSync(
    join(folder, 'terms.toml'),
    `${top}\n[[sections]]\ntitle = "One"\ntext = """${text}"""`,
  );
  return readLegalFiles(folder).terms;
}

const blocksOf = (text: string) => termsOf(text).sections[0]?.blocks;

function linesOf(block: LegalBlock): LegalWords[][] {
  return block.kind === 'list' ? block.items : [block.words];
}

function allLines({ introduction, sections }: LegalText): LegalWords[][] {
  return [...introduction, ...sections.flatMap(({ blocks }) => blocks)].flatMap(linesOf);
}

const plain = (text: LegalText) =>
  allLines(text)
    .map((line) => line.map((words) => words.text).join(''))
    .join('\n');

test('paragraphs, lists and links are recognised', () => {
  expect(blocksOf('One\n line.\n\n- A [page](/faq).\n- A point\n  of two lines.\n\nLast.')).toEqual(
    [
      { kind: 'paragraph', words: [{ text: 'One line.' }] },
      {
        kind: 'list',
        items: [
          [{ text: 'A ' }, { text: 'page', href: '/faq' }, { text: '.' }],
          [{ text: 'A point of two lines.' }],
        ],
      },
      { kind: 'paragraph', words: [{ text: 'Last.' }] },
    ],
  );
});

test('settings of the practice stand where they are named, and contacts are links', () => {
  expect(blocksOf('{name}: {cancellation_hours} hours. {email}, {phone}')).toEqual([
    {
      kind: 'paragraph',
      words: [
        { text: 'Sukoon: 24 hours. ' },
        { text: 'hello@sukoon.example', href: 'mailto:hello@sukoon.example' },
        { text: ', ' },
        { text: '+91\u00a075555\u00a050100', href: 'tel:+917555550100' },
      ],
    },
  ]);
});

test.each([
  ['a setting that does not exist', '{hour}', /^terms\.toml: \{hour\} is no setting/],
  ['a link of another kind', '[x](javascript:x)', /^terms\.toml: the link \[x\]\(javascript:x\)/],
  ['a link to another host without saying so', '[x](//evil)', /must begin with/],
  ['no words', ' ', /^terms\.toml: sections 1: text is missing/],
])('%s is refused', (_, text, reason) => {
  expect(() => termsOf(text)).toThrow(reason);
});

test.each([
  [
    'a day that does not exist',
    'changed = "2026-02-30"\nintroduction = "x"',
    /changed must be a day/,
  ],
  ['no day', 'introduction = "x"', /changed must be a day/],
  ['no introduction', 'changed = "2026-11-22"', /introduction is missing/],
  ['an unknown name', 'changed = "2026-11-22"\nintro = "x"', /terms\.toml: intro is not known/],
  ['no TOML', 'changed = ', /^terms\.toml: Invalid TOML/],
])('%s is refused as well', (_, top, reason) => {
  expect(() => termsOf('Words.', top)).toThrow(reason);
});

test('a day can be written as TOML writes days', () => {
  const top = 'changed = 2026-12-01\nintroduction = "x"';
  expect(termsOf('Words.', top).changed).toBe('2026-12-01');
});

test('a folder without them has ours, with its own name and hours', () => {
  const practice = join(folder, 'practice.toml');
  writeFileSync(
    practice,
    [
      '[practice]\nname = "Shanti"\npractitioner_name = "Ila"\nphone = "+910000000000"',
      'email = "ila@shanti.example"\naddress = "Pune"\ncity = "Pune"\nregion = "Maharashtra"',
      'support_hours = "always"\ncrisis_note = ""\n[policies]\ncancellation_hours = 48',
      'hold_minutes = 10\nhold_extended_minutes = 20\njoin_early_minutes = 5',
      'refund_days_text = "two weeks"',
    ].join('\n'),
  );
  const texts = readLegalFiles(folder);
  const all = LEGAL_NAMES.map((name) => plain(texts[name])).join('\n');
  expect(all).toContain('Shanti');
  expect(all).toContain('48 hours before your session starts');
  // As the catalogue reads a file that is older than this setting.
  expect(all).toContain('within 2-3 business days');
  expect(all).not.toMatch(/Sukoon|Meera|Bhopal|24 hours|[{}]/);
});

test('the texts that come with the project say what is asked of them', () => {
  const texts = readLegalFiles(OUR_PRACTICE);
  const privacy = plain(texts.privacy);
  for (const words of [
    'Razorpay',
    'Data Protection Board of India',
    'They are not deleted automatically',
    'withdraw',
    'no trackers',
    '18 and over',
    'around the clock',
  ]) {
    expect(privacy).toContain(words);
  }
  expect(plain(texts.terms)).toContain('until 24 hours before your session starts');
  expect(plain(texts.refunds)).toContain('5-7 business days');
  // A session cannot be moved, so nothing may promise it.
  for (const name of LEGAL_NAMES) {
    expect(plain(texts[name])).not.toMatch(/\bmoved?\b|reschedul|customer/i);
  }
});

test('what they link to is there', () => {
  const texts = readLegalFiles(OUR_PRACTICE);
  const addresses = LEGAL_NAMES.flatMap((name) => allLines(texts[name]).flat())
    .map(({ href }) => href)
    .filter((href) => href?.startsWith('/'));
  expect(addresses).toContain('/cancellation-policy');
  for (const address of addresses) {
    const [path = '', part] = (address ?? '').split('#');
    expect(matchPage(path).entry, address).not.toBe(NOT_FOUND);
    const { legal } = matchPage(path).entry;
    const parts = legal ? texts[legal].sections.map(({ id }) => id) : [];
    if (part) expect(parts, address).toContain(part);
  }
});
