/**
 * Reads the practice's legal texts: privacy.toml, terms.toml and refunds.toml. Only pages show them,
 * so the catalogue does not know them, and a folder from before them has ours.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import {
  LEGAL_NAMES,
  type LegalBlock,
  type LegalName,
  type LegalSection,
  type LegalText,
  type LegalTexts,
  type LegalWords,
} from '@/lib/legal-text';
import { formatPhone } from '@/lib/phone';
import { OUR_PRACTICE, readToml, section, USUAL_POLICIES } from './practice-files';
import { storedSections } from './stored-list';

/** A link, or the name of a setting. */
const TOKEN = /\[([^\]]+)\]\(([^()\s]+)\)|\{(\w+)\}/g;
/** Where a link may lead: a page of the site, another site, a mail or a call. */
const ADDRESS = /^(?:\/(?!\/)|https:\/\/|mailto:|tel:)/;

/** What a text is read with: its file's name, and the settings that it may name. */
type Source = { file: string; settings: JsonObject };

function refuse({ file }: Source, reason: string): never {
  throw new Error(`${file}: ${reason}`);
}

function setting(name: string, source: Source): string {
  const value = source.settings[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return refuse(source, `{${name}} is no setting of [practice] or [policies] in practice.toml`);
}

/** A setting as words; an address that can be written to or called is a link. */
function settingWords(name: string, source: Source): LegalWords {
  const value = setting(name, source);
  if (name === 'email') return { text: value, href: `mailto:${value}` };
  if (name === 'phone') return { text: formatPhone(value), href: `tel:${value}` };
  return { text: value };
}

function linkWords(text: string, href: string, source: Source): LegalWords {
  if (ADDRESS.test(href)) return { text, href };
  return refuse(source, `the link [${text}](${href}) must begin with /, https://, mailto: or tel:`);
}

/** Words without a link go on with those before them. */
function append(line: LegalWords[], words: LegalWords): void {
  const last = line.at(-1);
  if (last && !last.href && !words.href) last.text += words.text;
  else if (words.text) line.push({ ...words });
}

function lineOf(text: string, source: Source): LegalWords[] {
  const line: LegalWords[] = [];
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [token, words = '', href = '', name] = found;
    append(line, { text: text.slice(from, found.index) });
    append(line, name ? settingWords(name, source) : linkWords(words, href, source));
    from = found.index + token.length;
  }
  append(line, { text: text.slice(from) });
  return line;
}

/** The points of a list; a line that begins none goes on with the one before it. */
function pointsOf(lines: readonly string[]): string[] {
  const points: string[] = [];
  for (const line of lines) {
    if (line.startsWith('- ')) points.push(line.slice(2).trim());
    else points.push(`${points.pop() ?? ''} ${line}`);
  }
  return points;
}

function blockOf(text: string, source: Source): LegalBlock {
  const lines = text
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter(Boolean);
  if (lines[0]?.startsWith('- ')) {
    return { kind: 'list', items: pointsOf(lines).map((point) => lineOf(point, source)) };
  }
  return { kind: 'paragraph', words: lineOf(lines.join(' '), source) };
}

/** An empty line ends a paragraph or a list. What an empty setting leaves empty is left out. */
function blocksOf(value: JsonValue | undefined, key: string, source: Source): LegalBlock[] {
  if (typeof value !== 'string' || !value.trim()) return refuse(source, `${key} is missing`);
  const blocks = value
    .split(/\n\s*\n/)
    .filter((text) => text.trim())
    .map((text) => blockOf(text, source));
  return blocks.filter((block) => block.kind === 'list' || block.words.length > 0);
}

/** "Who else gets it" → "who-else-gets-it" */
function idOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-');
}

function onlyKeys(table: JsonObject, known: readonly string[], place: string, source: Source) {
  const unknown = Object.keys(table).find((key) => !known.includes(key));
  if (unknown) refuse(source, `${place}${unknown} is not known`);
}

function sectionOf(value: JsonValue, number: number, source: Source): LegalSection {
  const key = `sections ${number}: `;
  const table = section({ value }, 'value');
  onlyKeys(table, ['title', 'text'], key, source);
  const title = typeof table.title === 'string' ? table.title.trim() : '';
  if (!idOf(title)) refuse(source, `${key}title is missing`);
  return { id: idOf(title), title, blocks: blocksOf(table.text, `${key}text`, source) };
}

/** Every part has an address of its own. */
function sectionsOf(value: JsonValue | undefined, source: Source): LegalSection[] {
  const sections = (Array.isArray(value) ? value : []).map((one, index) =>
    sectionOf(one, index + 1, source),
  );
  if (sections.length === 0) refuse(source, 'there is no [[sections]] block');
  const twice = sections.find(({ id }, index) => sections.findIndex((s) => s.id === id) < index);
  if (twice) refuse(source, `two sections are called "${twice.title}"`);
  return sections.filter(({ blocks }) => blocks.length > 0);
}

/** A day that exists, as text or as TOML's own date. */
function dayOf(value: unknown, source: Source): string {
  const day = value instanceof Date ? value.toISOString().slice(0, 10) : String(value ?? '');
  const at = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
  if (/^\d{4}-\d{2}-\d{2}$/.test(day) && exists) return day;
  return refuse(source, 'changed must be a day such as "2026-11-22"');
}

/** The settings that a legal text may name. */
export function settingsOf(folder: string): JsonObject {
  const file = readToml(folder, 'practice.toml');
  return { ...USUAL_POLICIES, ...section(file, 'practice'), ...section(file, 'policies') };
}

/** The file of a text; a folder from before them has ours. */
export function readLegalTable(folder: string, name: LegalName): JsonObject {
  const file = `${name}.toml`;
  return readToml(existsSync(join(folder, file)) ? folder : OUR_PRACTICE, file);
}

function readLegalFile(folder: string, name: LegalName, settings: JsonObject): LegalText {
  const source = { file: `${name}.toml`, settings };
  const table = readLegalTable(folder, name);
  onlyKeys(table, ['changed', 'introduction', 'sections'], '', source);
  return {
    changed: dayOf(table.changed, source),
    introduction: blocksOf(table.introduction, 'introduction', source),
    sections: [
      ...sectionsOf(table.sections, source),
      ...(name === 'privacy' ? storedSections() : []),
    ],
  };
}

/** All of them; throws where one cannot be understood. */
export function readLegalFiles(folder: string): LegalTexts {
  const settings = settingsOf(folder);
  const texts = LEGAL_NAMES.map((name) => [name, readLegalFile(folder, name, settings)]);
  return Object.fromEntries(texts) as LegalTexts;
}
