/** Images that the specification allows and we do not: each is found. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IMAGES } from './images.mjs';
import { goodImages, remade, withLayer } from './planted.mjs';
import { entryFault, policyFaults } from './policy.mjs';
import { readLayout } from './validate.mjs';

/** Our own faults of a layout that has none of the specification's. */
function faultsOf(layout) {
  const read = readLayout(layout);
  assert.deepEqual(read.faults, []);
  return policyFaults(layout, read).join();
}

/** Puts one file into a folder, with these rights. */
const file = (mode) => (folder) => {
  writeFileSync(join(folder, 'planted'), '');
  chmodSync(join(folder, 'planted'), mode);
};

test('every image that is built keeps our rules', () => {
  for (const { name } of IMAGES) assert.equal(faultsOf(join(goodImages(), name)), '', name);
});

test('root as the user, a name as the user and no user are found', () => {
  const withUser = (user) => remade(({ config }) => (config.config.User = user));
  assert.match(faultsOf(withUser('0:0')), /the user is root/);
  assert.match(faultsOf(withUser('65532:0')), /the user is root/);
  assert.match(faultsOf(withUser('sukoon')), /the user sukoon is not two numbers/);
  assert.match(faultsOf(withUser(undefined)), /the user undefined is not two numbers/);
});

test('files that the user can change are found', () => {
  const free = withLayer(file(0o666), ['--mode=a=rw']);
  assert.match(faultsOf(free), /planted can be written by all/);
  assert.match(faultsOf(withLayer(file(0o400), ['--owner=65532'])), /planted belongs to the user/);
  const ofGroup = withLayer(file(0o664), ['--mode=ug=rw,o=r', '--group=65532']);
  assert.match(faultsOf(ofGroup), /planted can be written by the user's group/);
  const folder = (root) => mkdirSync(join(root, 'planted'));
  assert.match(faultsOf(withLayer(folder, ['--mode=a=rwx'])), /planted\/ can be written by all/);
});

test('a program that runs as its owner is found', () => {
  assert.match(faultsOf(withLayer(file(0o755), ['--mode=u+s'])), /planted runs as its owner/);
  assert.match(faultsOf(withLayer(file(0o755), ['--mode=g+s'])), /planted runs as its owner/);
});

test('our own packing takes such rights away', () => {
  assert.equal(faultsOf(withLayer(file(0o6777))), '');
});

test('a removed file is found, and links may have the rights that links have', () => {
  const whiteout = (folder) => writeFileSync(join(folder, '.wh.etc'), '');
  assert.match(faultsOf(withLayer(whiteout)), /\.wh\.etc takes a file away/);
  const link = (folder) => symlinkSync('/etc/passwd', join(folder, 'link'));
  assert.equal(faultsOf(withLayer(link)), '');
});

test('devices, attributes and paths that lead out are found', () => {
  const account = { user: 65532, group: 65532 };
  const entry = { type: '-', mode: 'rw-r--r--', mark: ' ', user: 0, group: 0, path: 'a' };
  const fault = (change) => entryFault({ ...entry, ...change }, account);
  assert.equal(fault({}), null);
  assert.match(fault({ type: 'c' }), /neither a file/);
  assert.match(fault({ type: '?', mode: undefined }), /neither a file/);
  assert.match(fault({ mark: '*' }), /attributes, such as capabilities/);
  assert.match(fault({ path: '../a' }), /leads out/);
  assert.match(fault({ path: '/a' }), /leads out/);
});

test('a missing label, too many bytes and a missing list are found', () => {
  const unlabelled = remade(({ config, manifest }) => {
    delete config.config.Labels['org.opencontainers.image.version'];
    delete manifest.annotations['org.opencontainers.image.licenses'];
  });
  assert.match(faultsOf(unlabelled), /label org\S+version is missing.*annotation org\S+licenses/);
  const layout = join(goodImages(), 'booking');
  const read = readLayout(layout);
  read.image.manifest.layers[1].size = 60_000_001;
  assert.match(policyFaults(layout, read).join(), /bytes are more than 60000000/);
  assert.match(
    policyFaults(layout, { ...read, referrers: [] }).join(),
    /no list of what is inside/,
  );
});
