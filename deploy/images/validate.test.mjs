/** Layouts with planted faults: each is found, and a good one has none. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IMAGES } from './images.mjs';
import { blobPath } from './layout.mjs';
import { damaged, goodImages, remade } from './planted.mjs';
import { readLayout } from './validate.mjs';

const faultsOf = (layout) => readLayout(layout).faults;
const layerOf = (layout) => blobPath(layout, readLayout(layout).image.manifest.layers[1].digest);

test('every image that is built keeps the specification', () => {
  for (const { name } of IMAGES) {
    const { faults, image, referrers } = readLayout(join(goodImages(), name));
    assert.deepEqual(faults, [], name);
    assert.equal(image.config.os, 'linux');
    assert.equal(referrers.length, 1);
  }
});

test('a copy that is only written anew has no fault', () => {
  assert.deepEqual(faultsOf(remade(() => {})), []);
});

test('a blob with another content is found', () => {
  const layout = damaged((folder) => {
    const bytes = readFileSync(layerOf(folder));
    bytes[40] ^= 1;
    writeFileSync(layerOf(folder), bytes);
  });
  assert.match(faultsOf(layout).join(), /layer 1: the blob is not sha256:/);
});

test('a blob that is longer, missing, or that nothing refers to is found', () => {
  const longer = damaged((folder) => writeFileSync(layerOf(folder), 'x', { flag: 'a' }));
  assert.match(faultsOf(longer).join(), /the size is \d+ but the blob has \d+ bytes/);
  const missing = damaged((folder) => rmSync(layerOf(folder)));
  assert.match(faultsOf(missing).join(), /layer 1: there is no blob/);
  const loose = damaged((folder) =>
    writeFileSync(blobPath(folder, `sha256:${'0'.repeat(64)}`), ''),
  );
  assert.match(faultsOf(loose).join(), /nothing refers to the blob 000/);
});

const PLANTED = [
  [({ manifest }) => (manifest.layers[0].mediaType = 'text/plain'), /media type is text\/plain/],
  [({ manifest }) => (manifest.layers[0].digest = 'sha1:00'), /sha1:00 is no digest/],
  [({ manifest }) => (manifest.schemaVersion = 1), /image: schemaVersion is not 2/],
  [({ manifest }) => (manifest.annotations.x = 1), /annotations are not all text/],
  [({ config }) => config.rootfs.diff_ids.pop(), /2 DiffIDs, 3 layers/],
  [({ config }) => config.rootfs.diff_ids.reverse(), /its content is not of its DiffID/],
  [({ config }) => (config.architecture = 'riscv64'), /architecture is riscv64/],
  [({ config }) => (config.created = 'today'), /created is today/],
  [({ config }) => config.history.pop(), /history has 2 layers/],
  [({ index }) => (index.manifests[1].artifactType = 'text/plain'), /its type is application\/vnd/],
  [({ index }) => index.manifests.push(index.manifests[0]), /it names 2 images/],
];

for (const [change, fault] of PLANTED) {
  test(`a planted fault is found: ${fault.source}`, () => {
    assert.match(faultsOf(remade(change)).join(), fault);
  });
}

test('a list of what is inside another image is found', () => {
  const layout = damaged((folder) => {
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
    index.manifests[0] = { ...index.manifests[0], size: 1 };
    writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  });
  assert.match(faultsOf(layout).join(), /its subject is not the image/);
});
