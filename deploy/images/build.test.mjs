/** What is in images, and that nothing but their sources makes a difference. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, ROOT } from './build.mjs';
import { differences } from './check.mjs';
import { IMAGES, USER } from './images.mjs';
import { digestOf, pack } from './layer.mjs';
import { blobPath } from './layout.mjs';
import { contentOf, librariesOf, packageOf } from './packages.mjs';
import { goodImages, input, scratch } from './planted.mjs';
import { entriesOf } from './policy.mjs';
import { readLayout } from './validate.mjs';

const BUILD = join(import.meta.dirname, 'build.mjs');

/** The paths of all files of an image, without folders. */
function filesOf(name) {
  const layout = join(goodImages(), name);
  const { layers } = readLayout(layout).image.manifest;
  const entries = layers.flatMap(({ digest }) => entriesOf(blobPath(layout, digest)));
  return entries.map(({ path }) => path).filter((path) => !path.endsWith('/'));
}

test('another time, zone, language, mask and folder give the same images', () => {
  const folder = scratch();
  const { programs, pages, practice } = input(join(folder, 'another'));
  utimesSync(join(pages, 'index.html'), 1, 1);
  chmodSync(join(practice, 'practice.toml'), 0o600);
  const script = 'umask 077; exec "$@"';
  const command = [process.execPath, BUILD, programs, pages, practice, join(folder, 'images')];
  const env = { ...process.env, TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8', GZIP: '-1' };
  execFileSync('sh', ['-c', script, 'sh', ...command], { env });
  assert.deepEqual(differences(goodImages(), join(folder, 'images')), []);
});

test('another file is another image, and the comparison finds it', () => {
  const folder = scratch();
  const files = input(folder);
  writeFileSync(join(files.pages, 'index.html'), '<!doctype html> ');
  build(files, join(folder, 'images'));
  const found = differences(goodImages(), join(folder, 'images'));
  const changed = ['digests.txt', 'gateway/index.json', 'gateway.tar', 'sukoon/index.json'];
  const wanted = [...changed, 'sukoon.tar'].map((file) => `another build has another ${file}`);
  assert.deepEqual(found, wanted);
});

test('what is packed has one time and an order', () => {
  const folder = scratch();
  const content = join(folder, 'content');
  const names = Array.from({ length: 40 }, (_, at) => `inner/${(at * 23) % 40}`);
  mkdirSync(join(content, 'inner'), { recursive: true });
  for (const name of names) writeFileSync(join(content, name), name);
  const packed = (seconds) => {
    pack(content, join(folder, `${seconds}.tar`), seconds);
    return digestOf(join(folder, `${seconds}.tar`));
  };
  const before = packed(7);
  for (const name of names) utimesSync(join(content, name), 1, 1);
  assert.equal(packed(7), before);
  assert.notEqual(packed(8), before);
  const args = ['--list', '--file', join(folder, '7.tar')];
  const listed = execFileSync('tar', args, { encoding: 'utf8' }).trimEnd().split('\n');
  assert.deepEqual(listed, ['inner/', ...names.sort()]);
});

test('pages are in the images that serve them, and a practice where it is read', () => {
  const has = (path) =>
    IMAGES.map(({ name }) => name).filter((name) => filesOf(name).includes(path));
  assert.deepEqual(has('usr/share/sukoon/web/index.html'), ['gateway', 'sukoon']);
  const readers = ['booking', 'catalogue', 'notifications', 'payments', 'reviews', 'sukoon'];
  assert.deepEqual(has('usr/share/sukoon/practice/practice.toml'), readers);
  assert.deepEqual(has('usr/share/sukoon/practice/portrait.jpg'), []);
  assert.deepEqual(has('usr/lib/sukoon/sandbox'), ['sandbox']);
  assert.deepEqual(has('usr/lib/sukoon/checker'), ['sukoon']);
});

test('there is no shell, and every library is one that a program needs', () => {
  const libraries = librariesOf('/usr/bin/true').map((path) => path.slice(1));
  const known = ['etc/', 'usr/lib/os-release', 'usr/lib/sukoon/', 'usr/share/', 'var/lib/dpkg/'];
  const others = filesOf('sukoon').filter((path) => !known.some((start) => path.startsWith(start)));
  assert.deepEqual(others.sort(), libraries.sort());
});

test("authorities are the distribution's and none of this machine's", () => {
  const layout = join(goodImages(), 'identity');
  const base = blobPath(layout, readLayout(layout).image.manifest.layers[0].digest);
  const args = ['-xzOf', base, 'etc/ssl/certs/ca-certificates.crt'];
  const bundle = execFileSync('tar', args, { encoding: 'utf8', maxBuffer: 1 << 24 });
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----/g).length;
  const listed = execFileSync('dpkg-query', ['-L', 'ca-certificates'], { encoding: 'utf8' });
  assert.equal(certificates, listed.match(/\/mozilla\/.+\.crt$/gm).length);
  assert.ok(certificates > 100);
});

test('a file that is not as its package has it is refused', () => {
  const file = '/usr/lib/os-release';
  assert.ok(contentOf('base-files', file).length > 0);
  assert.throws(() => contentOf('base-files', '/etc/passwd'), /is not as base-files has it/);
  assert.equal(packageOf('base-files').name, 'base-files');
});

test('the heap is set as `sukoon up` sets it', () => {
  const code = readFileSync(join(ROOT, 'deploy/machine/src/inheritance.rs'), 'utf8');
  const [, value] = /const JEMALLOC_CONF: &str =\s+"(.+)";/.exec(code);
  for (const { settings } of IMAGES) assert.ok(settings.includes(`_RJEM_MALLOC_CONF=${value}`));
});

test('there is an image for each service, by the name that the program knows', () => {
  const code = readFileSync(join(ROOT, 'deploy/services/src/main.rs'), 'utf8');
  const names = [.../const NAMES[^=]+=\s*\[([^\]]+)\]/.exec(code)[1].matchAll(/"(\w+)"/g)];
  const started = IMAGES.map(({ command }) => command.at(-1)).slice(0, names.length);
  assert.deepEqual(
    started,
    names.map(([, name]) => name),
  );
  const config = readLayout(join(goodImages(), 'booking')).image.config.config;
  assert.deepEqual(config.Entrypoint, ['/usr/lib/sukoon/services', 'booking']);
  assert.equal(config.User, `${USER}:${USER}`);
});
