/** Records of OSV, as the facts that are committed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRATES, crateAdvisory, npmAdvisory, patchedOf, rangesOf } from './osv.mjs';
import { isIn } from './ranges.mjs';
import { merge, render } from './renew.mjs';

test('events are ranges of affected versions', () => {
  const events = [{ introduced: '0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }];
  assert.deepEqual(rangesOf(events), ['< 1.2.0', '>= 2.0.0']);
  assert.deepEqual(rangesOf([...events, { last_affected: '2.3.0' }]), [
    '< 1.2.0',
    '>= 2.0.0, <= 2.3.0',
  ]);
  assert.deepEqual(rangesOf([{ introduced: '0' }]), ['*']);
});

test('what is patched is all that no event affects', () => {
  const events = [{ introduced: '0.2.0' }, { fixed: '0.8.2' }].concat([
    { introduced: '0.9.0' },
    { fixed: '0.9.1' },
  ]);
  const { patched, unaffected } = patchedOf(events);
  assert.deepEqual(patched, ['>= 0.8.2, < 0.9.0', '>= 0.9.1']);
  assert.deepEqual(unaffected, ['< 0.2.0']);
  for (const version of ['0.1.9', '0.2.0', '0.8.1', '0.8.2', '0.9.0', '0.9.1', '1.0.0']) {
    const affected = isIn(version, rangesOf(events));
    assert.equal(isIn(version, [...patched, ...unaffected]), !affected, version);
  }
  const never = patchedOf([{ introduced: '0.0.0-0' }]);
  assert.deepEqual(never, { patched: [], unaffected: [] });
});

const RECORD = {
  id: 'RUSTSEC-2026-0001',
  published: '2026-02-03T12:00:00Z',
  affected: [
    {
      package: { ecosystem: CRATES, name: 'sample' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0.0.0-0' }, { fixed: '1.0.1' }] }],
      database_specific: { categories: ['memory-corruption'], informational: 'unsound' },
    },
  ],
};

test('a record of a crate is RustSec facts, and none when it was withdrawn', () => {
  assert.deepEqual(crateAdvisory(RECORD, 'sample'), [
    {
      id: 'RUSTSEC-2026-0001',
      package: 'sample',
      date: '2026-02-03',
      kind: 'unsound',
      patched: ['>= 1.0.1'],
      unaffected: [],
      about: 'memory-corruption',
    },
  ]);
  assert.deepEqual(crateAdvisory({ ...RECORD, withdrawn: '2026-03-01T00:00:00Z' }, 'sample'), []);
  assert.deepEqual(crateAdvisory({ ...RECORD, id: 'GHSA-aaaa-bbbb-cccc' }, 'sample'), []);
});

test('a record of an npm package has ranges, or the versions that it lists', () => {
  const record = {
    id: 'GHSA-aaaa-bbbb-cccc',
    database_specific: { cwe_ids: ['CWE-352'] },
    affected: [
      {
        package: { ecosystem: 'npm', name: 'sample' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '7.0.0' }, { fixed: '7.1.0' }] }],
      },
      { package: { ecosystem: 'npm', name: 'sample' }, versions: ['6.0.1'] },
      { package: { ecosystem: 'npm', name: 'other' }, versions: ['1.0.0'] },
    ],
  };
  const [advisory] = npmAdvisory(record, 'sample');
  assert.deepEqual(advisory.affected, ['>= 7.0.0, < 7.1.0', '= 6.0.1']);
  assert.equal(advisory.about, 'CWE-352');
});

test('renewed data keeps our own words and what is accepted', () => {
  const known = { id: 'A', package: 'a', affected: ['< 1.0.0'], about: 'Ours' };
  const old = { taken: '2026-01-01', lookedUp: ['a'], accepted: { A: 'why' }, advisories: [known] };
  const fresh = [
    { ...known, affected: ['< 1.0.1'], about: 'CWE-1' },
    { id: 'B', package: 'b', affected: ['*'], about: 'CWE-2' },
  ];
  const renewed = merge(old, { names: ['b', 'a', 'b'], advisories: fresh, taken: '2026-02-01' });
  assert.deepEqual(renewed.lookedUp, ['a', 'b']);
  assert.deepEqual(renewed.accepted, { A: 'why' });
  assert.deepEqual(
    renewed.advisories.map(({ about, affected }) => [about, ...affected]),
    [
      ['Ours', '< 1.0.1'],
      ['CWE-2', '*'],
    ],
  );
  const text = render(renewed);
  assert.deepEqual(JSON.parse(text), renewed);
  assert.ok(
    text.split('\n').some((line) => line.includes('"id":"B"') && !line.includes('"id":"A"')),
  );
});
