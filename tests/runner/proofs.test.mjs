/** When a long proof is played whole again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependsOn, hashOf, PROOFS, plan, provedOf } from './proofs.mjs';

const FILES = {
  'services/booking/src/lib.rs': 'pub fn a() {}',
  'services/booking/tests/it/main.rs': 'mod a;',
  'services/booking/README.md': '# Booking',
  'tests/system/tests/kills.rs': 'fn b() {}',
  'web/src/main.tsx': 'start()',
};
const read = (path) => FILES[path];
const hash = (changed = {}) => {
  const all = { ...FILES, ...changed };
  return hashOf(PROOFS.kills, Object.keys(all), (path) => all[path]);
};

test('a changed source, proof or name changes the hash, and nothing else does', () => {
  assert.equal(hash(), hashOf(PROOFS.kills, Object.keys(FILES).reverse(), read));
  assert.notEqual(hash({ 'services/booking/src/lib.rs': 'pub fn c() {}' }), hash());
  assert.notEqual(hash({ 'tests/system/tests/kills.rs': 'fn c() {}' }), hash());
  assert.notEqual(hash({ 'services/booking/src/new.rs': '' }), hash());
  assert.equal(hash({ 'web/src/main.tsx': 'wait()' }), hash());
  assert.equal(hash({ 'services/booking/README.md': '# The desk' }), hash());
  assert.equal(hash({ 'services/booking/tests/it/main.rs': 'mod b;' }), hash());
});

test('a proof depends on itself, and not on a folder with a longer name', () => {
  assert.ok(dependsOn(PROOFS.spraying, 'services/identity/tests/it/spraying.rs'));
  assert.ok(!dependsOn(PROOFS.spraying, 'services/identity/tests/it/main.rs'));
  assert.ok(!dependsOn(['services/booking'], 'services/bookings/src/lib.rs'));
});

test('what was proved of the same sources is played in part', () => {
  const proved = provedOf('# A comment\nkills abc 7\nsagas def 8\n');
  assert.deepEqual(plan({ kills: 'abc', sagas: 'xyz', kept: 'uvw' }, proved), {
    whole: ['sagas', 'kept'],
    lines: ['kills: a tenth, proved from seed 7', 'sagas: whole', 'kept: whole'],
  });
});
