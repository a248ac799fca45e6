/** Versions in ranges, packages of a lock, and what the committed advisories say of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCKS } from './check.mjs';
import { read } from './data.mjs';
import { faults, lockedPackages, packagesOf } from './npm.mjs';
import { compare, isIn, parseRange } from './ranges.mjs';

test('versions are ordered as semver says', () => {
  const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2'].concat([
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.9',
    '1.0.10',
    '1.2.0',
    '10.0.0',
  ]);
  ordered.forEach((version, at) => {
    ordered.forEach((other, place) => {
      assert.equal(
        Math.sign(compare(version, other)),
        Math.sign(at - place),
        `${version} ${other}`,
      );
    });
  });
  assert.equal(compare('1.0.0+build.1', '1.0.0'), 0);
  for (const wrong of ['1.0', 'v1.0.0', '1.0.0 ', 'latest', '']) {
    assert.throws(() => compare(wrong, '1.0.0'), /is not a version/);
  }
});

test('a version is in one of several ranges or in none', () => {
  const ranges = ['>= 7.12.0, < 7.18.2', '>= 8.0.0, < 8.3.0'];
  for (const version of ['7.12.0', '7.18.1', '8.0.0', '8.2.9']) assert.ok(isIn(version, ranges));
  for (const version of ['7.11.9', '7.18.2', '8.3.0']) assert.ok(!isIn(version, ranges));
  assert.ok(isIn('4.4.2', ['= 4.4.2']) && !isIn('4.4.3', ['= 4.4.2']));
  assert.ok(isIn('0.0.1', ['*']) && isIn('1.0.0', ['<= 1.0.0']) && !isIn('1.0.0', ['> 1.0.0']));
  for (const wrong of ['', '1.0.0', '^1.0.0', '>= 1.0', '>= 1.0.0,']) {
    assert.throws(() => parseRange(wrong), /is not a/);
  }
});

const LOCK = {
  packages: {
    '': { name: 'sukoon-web', version: '0.1.0' },
    'node_modules/react-router': { version: '7.18.1' },
    'node_modules/a/node_modules/@scope/b': { version: '1.0.0', dev: true },
    'node_modules/renamed': { name: 'real', version: '2.0.0' },
    'node_modules/linked': { link: true, resolved: '../linked' },
  },
};
const ADVISORY = {
  id: 'GHSA-aaaa-bbbb-cccc',
  package: 'react-router',
  affected: ['>= 7.12.0, < 7.18.2'],
  about: 'Planted',
};

test('a lock holds packages at any depth under their own names', () => {
  assert.deepEqual(lockedPackages(LOCK), [
    { name: 'react-router', version: '7.18.1' },
    { name: '@scope/b', version: '1.0.0' },
    { name: 'real', version: '2.0.0' },
  ]);
});

test('a package in a vulnerable range fails until it is accepted with a reason', () => {
  const packages = lockedPackages(LOCK);
  const told = ['react-router 7.18.1: Planted (GHSA-aaaa-bbbb-cccc)'];
  const advisories = [ADVISORY];
  assert.deepEqual(faults(packages, { advisories }), told);
  assert.deepEqual(faults(packages, { advisories, accepted: { [ADVISORY.id]: ' ' } }), told);
  assert.deepEqual(faults(packages, { advisories, accepted: { [ADVISORY.id]: 'no RSC' } }), []);
  const later = [{ name: 'react-router', version: '7.18.2' }];
  assert.deepEqual(faults(later, { advisories }), []);
  assert.deepEqual(faults(later, { advisories, accepted: { [ADVISORY.id]: 'no RSC' } }), [
    'GHSA-aaaa-bbbb-cccc is accepted, but no locked version has it',
  ]);
});

test('an older version of a locked package fails by the committed advisories', () => {
  const npm = read('npm');
  const locked = packagesOf(LOCKS);
  assert.ok(locked.length > 300, `${locked.length}`);
  assert.deepEqual(faults(locked, npm), []);
  const planted = locked.map((it) => (it.name === 'vite' ? { ...it, version: '8.0.4' } : it));
  assert.match(faults(planted, npm).join('\n'), /^vite 8\.0\.4: .*GHSA-p9ff-h696-f583/m);
});

test('each committed advisory of a package has its facts and a package that was looked up', () => {
  const { advisories, lookedUp, taken } = read('npm');
  assert.ok(Date.parse(taken) > 0);
  for (const { id, package: name, affected, about } of advisories) {
    assert.match(id, /^(GHSA(-[23456789cfghjmpqrvwx]{4}){3}|CVE-\d{4}-\d{4,}|MAL-\d{4}-\d+)$/);
    assert.ok(lookedUp.includes(name), `${id}: ${name} was not looked up`);
    assert.ok(affected.length > 0 && about.length > 0, id);
    affected.forEach(parseRange);
  }
  assert.equal(new Set(advisories.map(({ id }) => id)).size, advisories.length);
});
