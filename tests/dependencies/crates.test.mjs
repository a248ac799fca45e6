/** What is made for cargo-deny, and what the committed advisories of crates hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from './cargo-deny.mjs';
import { lockedCrates } from './check.mjs';
import { DAYS_MAX, read, warnings } from './data.mjs';
import { toRustsec } from './rustsec.mjs';

test('an advisory is written as RustSec has it', () => {
  const advisory = {
    id: 'RUSTSEC-2026-0001',
    package: 'sample',
    date: '2026-01-02',
    kind: 'unsound',
    patched: ['>= 1.2.3, < 2.0.0', '>= 2.0.1'],
    unaffected: ['< 1.0.0'],
    about: 'Reads "freed" memory',
  };
  const wanted = [
    '```toml',
    '[advisory]',
    'id = "RUSTSEC-2026-0001"',
    'package = "sample"',
    'date = "2026-01-02"',
    'informational = "unsound"',
    '',
    '[versions]',
    'patched = [">= 1.2.3, < 2.0.0", ">= 2.0.1"]',
    'unaffected = ["< 1.0.0"]',
    '```',
    '',
    '# Reads "freed" memory',
    '',
    'Facts only.',
    '',
  ];
  assert.equal(toRustsec(advisory), wanted.join('\n'));
  const unpatched = toRustsec({ ...advisory, kind: undefined, patched: [], unaffected: undefined });
  assert.doesNotMatch(unpatched, /informational/);
  assert.match(unpatched, /patched = \[\]\nunaffected = \[\]/);
});

test('deny.toml keeps all it has and names our database', () => {
  const denyToml = '[graph]\n\n[advisories]\nyanked = "deny"\n';
  const wanted = '[graph]\n\n[advisories]\ndb-path = "/t/db"\nyanked = "deny"\n';
  assert.equal(withDatabase(denyToml, '/t/db'), wanted);
  assert.throws(() => withDatabase('[graph]\n', '/t/db'), /one table/);
});

test('crates of the lock are those with a source', () => {
  const lock = [
    'version = 4\n\n[[package]]\nname = "booking"\nversion = "0.1.0"\n',
    '[[package]]\nname = "tokio"\nversion = "1.0.0"\nsource = "registry"\n',
  ].join('\n');
  assert.deepEqual(lockedCrates(lock), ['tokio']);
});

test('data that is old or leaves packages out is told', () => {
  const data = { taken: '2026-01-01', lookedUp: ['a'] };
  const after = (days) => Date.parse('2026-01-01') + days * 86_400_000;
  assert.deepEqual(warnings(data, ['a', 'a'], after(DAYS_MAX)), []);
  assert.deepEqual(warnings(data, ['a', 'b', 'b'], after(DAYS_MAX + 1)), [
    'the advisories are 31 days old: renew them with `make advisories`',
    '1 of 2 packages were not looked up',
  ]);
});

test('each committed advisory of a crate has its facts and a crate that was looked up', () => {
  const { advisories, lookedUp, since, taken } = read('crates');
  assert.ok(advisories.length > 0);
  for (const { id, package: name, date, patched, about } of advisories) {
    assert.match(id, /^RUSTSEC-\d{4}-\d{4}$/);
    assert.ok(lookedUp.includes(name), `${id}: ${name} was not looked up`);
    assert.ok(date >= since && date <= taken, `${id}: ${date}`);
    assert.ok(Array.isArray(patched) && about.length > 0, id);
  }
  assert.equal(new Set(advisories.map(({ id }) => id)).size, advisories.length);
});
