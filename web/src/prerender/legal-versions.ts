/**
 * Names the versions of the legal texts that this build's pages show. Booking keeps the words of each
 * version and finds the same hash (`services/shared/practice/src/legal.rs`).
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import {
  LEGAL_NAMES,
  type LegalName,
  type LegalVersion,
  type LegalVersions,
} from '@/lib/legal-text';
import { readLegalTable, settingsOf } from './legal-files';

/** The text with each {setting} replaced by its value. */
function fill(text: string, settings: JsonObject): string {
  return text.replace(/\{([A-Za-z0-9_]+)\}/g, (_, name: string) => {
    const value = settings[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw new Error(`{${name}} is no setting of [practice] or [policies] in practice.toml`);
  });
}

/** The same words with one blank between them and one empty line between paragraphs. */
function normal(text: string): string {
  const lines = text.split('\n').map((line) =>
    line
      .split(/[ \t\r]+/)
      .filter(Boolean)
      .join(' '),
  );
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function dayOf(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value ?? '');
}

/** All words of a text, in the order in which its page shows them. */
export function wordsOf(name: LegalName, table: JsonObject, settings: JsonObject): string {
  const blocks = [normal(fill(textOf(table.introduction), settings))];
  const sections = Array.isArray(table.sections) ? (table.sections as JsonObject[]) : [];
  for (const { title, text } of sections) {
    const words = normal(fill(textOf(text), settings));
    // What an empty setting leaves empty is left out.
    if (words) blocks.push(textOf(title).trim(), words);
  }
  return [`${name}, changed ${dayOf(table.changed)}\n`, ...blocks.map((it) => `${it}\n`)].join(
    '\n',
  );
}

export function hashOf(words: string): string {
  return createHash('sha256').update(words).digest('hex');
}

function versionOf(folder: string, name: LegalName, settings: JsonObject): LegalVersion {
  const table = readLegalTable(folder, name);
  return { version: dayOf(table.changed), hash: hashOf(wordsOf(name, table, settings)) };
}

/** The version of each text in a folder. */
export function readLegalVersions(folder: string): LegalVersions {
  const settings = settingsOf(folder);
  const versions = LEGAL_NAMES.map((name) => [name, versionOf(folder, name, settings)]);
  return Object.fromEntries(versions) as LegalVersions;
}
