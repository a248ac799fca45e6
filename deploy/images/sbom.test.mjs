/** The list of what is inside: complete, and without what only tests and tools need. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './build.mjs';
import { cratesIn, unlisted } from './check.mjs';
import { cratesOf, cratesOfPrograms, readLock, readManifest } from './crates.mjs';
import { goodImages, scratch } from './planted.mjs';
import { pagePackages } from './sbom.mjs';

const LOCK = [
  'version = 4\n',
  '[[package]]\nname = "ours"\nversion = "0.1.0"\ndependencies = [\n "a 1.0.0",\n "tests",\n]\n',
  '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "r"\nchecksum = "c1"\n',
  '[[package]]\nname = "a"\nversion = "2.0.0"\nsource = "r"\nchecksum = "c2"\n',
  '[[package]]\nname = "tests"\nversion = "3.0.0"\nsource = "r"\ndependencies = [\n "a 2.0.0"\n]\n',
].join('\n');

test('the lock is followed from a program, by version, and not to what tests need', () => {
  const names = (unlinked) =>
    cratesOf(['ours'], readLock(LOCK), unlinked).map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(names(new Map()), ['a 1.0.0', 'a 2.0.0', 'ours 0.1.0', 'tests 3.0.0']);
  assert.deepEqual(names(new Map([['ours', new Set(['tests'])]])), ['a 1.0.0', 'ours 0.1.0']);
});

test('dependencies of a program, of tests and of build scripts are told apart', () => {
  const { linked, others } = readManifest(
    [
      '[package]\nname = "x"',
      '[dependencies]\na.workspace = true\nb = { version = "1" }\n# c = "1"',
      '[dependencies.d]\nversion = "1"\n',
      '[target.\'cfg(unix)\'.dependencies]\ne = "1"',
      '[dev-dependencies]\nf = "1"\na.workspace = true',
      '[build-dependencies]\ng = "1"',
      '[features]\nh = []',
    ].join('\n'),
  );
  assert.deepEqual([...linked], ['a', 'b', 'd', 'version', 'e']);
  assert.deepEqual([...others], ['f', 'a', 'g']);
});

test("this checkout's services have their crates, and none that only tests have", () => {
  const names = new Set(cratesOfPrograms(ROOT, ['services']).map(({ name }) => name));
  for (const name of ['services', 'booking', 'runtime', 'tokio', 'rustls', 'sqlx-core']) {
    assert.ok(names.has(name), name);
  }
  for (const name of ['testkit', 'insta', 'proptest']) assert.ok(!names.has(name), name);
});

test('pages have what they are made of, and no tool', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'web/package-lock.json'), 'utf8'));
  const names = pagePackages(lock).map(({ name }) => name);
  assert.ok(names.includes('react') && names.includes('@connectrpc/connect'));
  assert.ok(!names.includes('@biomejs/biome'));
});

test('lists have crates, the distribution and, with pages, npm, each by one reference', () => {
  const read = (name) => JSON.parse(readFileSync(join(goodImages(), `${name}.cdx.json`), 'utf8'));
  const kinds = (sbom) => new Set(sbom.components.map(({ purl }) => purl?.split('/')[0]));
  assert.deepEqual([...kinds(read('gateway'))].sort(), [
    'pkg:cargo',
    'pkg:deb',
    'pkg:npm',
    undefined,
  ]);
  assert.deepEqual([...kinds(read('booking'))].sort(), ['pkg:cargo', 'pkg:deb', undefined]);
  const { components, dependencies, serialNumber } = read('gateway');
  assert.notEqual(serialNumber, read('booking').serialNumber);
  const references = components.map((it) => it['bom-ref']);
  assert.equal(new Set(references).size, references.length);
  const needed = dependencies.flatMap(({ dependsOn }) => dependsOn);
  assert.deepEqual(
    needed.filter((it) => !references.includes(it)),
    [],
  );
  const libc = components.find(({ name }) => name === 'libc6');
  assert.match(
    libc.purl,
    /^pkg:deb\/debian\/libc6@2[^?]+\?arch=\w+&distro=debian-\d+&upstream=glibc$/,
  );
});

test('a crate that a program names and the list does not have is found', () => {
  const program = join(scratch(), 'program');
  writeFileSync(
    program,
    '\0/h/registry/src/mirror-0/tokio-1.2.3/src/a.rs\0/h/registry/src/m/b-1.0.0/b',
  );
  const crates = cratesIn(program);
  assert.deepEqual([...crates], ['tokio-1.2.3', 'b-1.0.0']);
  const components = [{ name: 'tokio', version: '1.2.3' }];
  assert.deepEqual(unlisted(crates, { components }), ['b-1.0.0 is not in the list']);
});
