/** Starts images with planted faults, as root: each is found. `make check-images` runs it. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IMAGES, SERVICES } from '../images.mjs';
import { librariesOf } from '../packages.mjs';
import { goodImages, scratch } from '../planted.mjs';
import { readLayout } from '../validate.mjs';
import { pageFault } from './pages.mjs';
import { answerFault, answersOf, run, unpack } from './start.mjs';

const BOOKING = IMAGES.find(({ name }) => name === 'booking');

/** Booking's image with a program of the distribution in the place of `services`. */
function withProgram(path) {
  const layout = join(goodImages(), 'booking');
  const { image } = readLayout(layout);
  const root = unpack(layout, image, join(scratch(), 'root'));
  copyFileSync(path, join(root, 'usr/lib/sukoon/services'));
  for (const library of librariesOf(path)) {
    mkdirSync(join(root, library, '..'), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  return { image, root };
}

/** What `services` says when it is that program. */
function said(path, ...args) {
  const { image, root } = withProgram(path);
  return run(image, root, ['/usr/lib/sukoon/services', ...args]);
}

test('a program that answers otherwise than a service does is found', () => {
  const [answer] = answersOf(BOOKING, SERVICES);
  const { image, root } = withProgram('/usr/bin/true');
  assert.match(answerFault(image, root, answer), /booking ended with 0 and said: $/);
});

test('a gateway that does not answer is found', async () => {
  const { image, root } = withProgram('/usr/bin/true');
  const fault = await pageFault({ ...image, command: BOOKING.command }, root);
  assert.equal(fault, 'the gateway did not answer: ');
});

test('a program whose library is missing is found', () => {
  const [answer] = answersOf(BOOKING, SERVICES);
  const { image, root } = withProgram('/usr/bin/true');
  const library = librariesOf('/usr/bin/true').find((path) => path.includes('libc.so'));
  rmSync(join(root, library));
  assert.match(answerFault(image, root, answer), /libc\.so\.6: cannot open shared object file/);
});

test('a program runs as a number that is not root, of no other group', () => {
  assert.deepEqual(said('/usr/bin/id', '-u'), { code: 0, said: '65532\n' });
  assert.deepEqual(said('/usr/bin/id', '-G'), { code: 0, said: '65532\n' });
});

test('a program has no capability, and none to get', () => {
  const { said: status } = said(
    '/usr/bin/grep',
    '-E',
    '^(Cap(Eff|Prm)|NoNewPrivs)',
    '/proc/self/status',
  );
  assert.match(status, /CapPrm:\t0+\nCapEff:\t0+\nNoNewPrivs:\t1\n/);
});

test('nothing can be written, not even by the owner of all files', () => {
  const { image, root } = withProgram('/usr/bin/mkdir');
  const command = ['/usr/lib/sukoon/services', '/tmp/planted'];
  assert.match(run(image, root, command).said, /Read-only file system/);
  image.config.config.User = '0:0';
  assert.match(run(image, root, command).said, /Read-only file system/);
});

test('a program gets the settings of its image and no other', () => {
  const { said: settings } = said('/usr/bin/env');
  const names = settings
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  const [PATH, HEAP, PRACTICE] = BOOKING.settings.map((text) => text.split('=')[0]);
  const shell = ['OLDPWD', 'PWD', 'SHLVL', '_'];
  const others = names.filter((name) => !shell.includes(name));
  assert.deepEqual(others.sort(), [PATH, PRACTICE, HEAP].sort());
});
