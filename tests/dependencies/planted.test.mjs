/** The check of crates fails on what is planted and must not pass, each on the real lock. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { check } from './cargo-deny.mjs';
import { read } from './data.mjs';

const ROOT = join(import.meta.dirname, '../..');
const TOOLS = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target', 'dependencies');
const DENY_TOML = readFileSync(join(ROOT, 'deny.toml'), 'utf8');
const PLANTED = {
  id: 'RUSTSEC-2026-9999',
  package: 'tokio',
  date: '2026-01-01',
  patched: ['>= 999.0.0'],
  about: 'Planted',
};

/** The verdict with one more advisory and with words of deny.toml replaced by others. */
function verdict(advisory, words = '', others = '') {
  assert.ok(DENY_TOML.includes(words), `deny.toml has no ${words}`);
  const { advisories } = read('crates');
  return check({
    root: ROOT,
    folder: TOOLS,
    advisories: advisory ? [...advisories, advisory] : advisories,
    denyToml: DENY_TOML.replace(words, others),
    quiet: true,
  });
}

function passes(...planted) {
  const { passed, said } = verdict(...planted);
  assert.ok(passed, said);
}

function fails(expected, ...planted) {
  const { passed, said } = verdict(...planted);
  assert.equal(passed, false);
  assert.match(said, expected);
}

test('a locked version with an advisory fails until it is accepted with a reason', () => {
  fails(/error\[vulnerability\]: Planted.*RUSTSEC-2026-9999/s, PLANTED);
  const accepted = 'ignore = [{ id = "RUSTSEC-2026-9999", reason = "planted" },';
  passes(PLANTED, 'ignore = [', accepted);
});

test('what deny.toml accepts is in the data, and fails without that line', () => {
  fails(
    /error\[vulnerability\].*RUSTSEC-2023-0071/s,
    undefined,
    'RUSTSEC-2023-0071',
    'RUSTSEC-0000-0000',
  );
});

test('a forbidden crate, a licence that is not allowed and an unknown registry fail', () => {
  const forbidden = 'deny = [{ crate = "tokio", reason = "planted" },';
  fails(/error\[banned\].*tokio/s, undefined, 'deny = [', forbidden);
  fails(/error\[rejected\].*MIT/s, undefined, '"MIT",', '');
  const none = 'unknown-registry = "deny"\nallow-registry = []';
  fails(/error\[source-not-allowed\]/, undefined, 'unknown-registry = "deny"', none);
});
