/** For tests: small images that are good, and copies of them with planted faults. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { PROGRAMS } from './images.mjs';
import { makeLayer } from './layer.mjs';
import { blobPath } from './layout.mjs';

/** All that tests write, which goes when they end. */
const parent = mkdtempSync(join(tmpdir(), 'sukoon-images-'));
process.on('exit', () => rmSync(parent, { recursive: true, force: true }));

/** A new folder. */
export const scratch = () => mkdtempSync(join(parent, 'planted-'));

/** Files to build images from: each program is `true`, and there is one page. */
export function input(folder) {
  const [programs, pages, practice] = ['programs', 'pages', 'practice'].map((it) =>
    join(folder, it),
  );
  for (const path of [programs, pages, practice]) mkdirSync(path, { recursive: true });
  for (const name of PROGRAMS) copyFileSync('/usr/bin/true', join(programs, name));
  writeFileSync(join(pages, 'index.html'), '<!doctype html>');
  writeFileSync(join(practice, 'practice.toml'), '[practice]\n');
  writeFileSync(join(practice, 'portrait.jpg'), 'a picture');
  return { programs, pages, practice };
}

let images;

/** The folder of small images that are good, built once. */
export function goodImages() {
  if (!images) {
    const folder = scratch();
    images = join(folder, 'images');
    build(input(folder), images);
  }
  return images;
}

/** Puts a blob in the place of another, and returns the descriptor with its digest and size. */
function replace(layout, descriptor, bytes) {
  rmSync(blobPath(layout, descriptor.digest));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  writeFileSync(blobPath(layout, digest), bytes);
  return { ...descriptor, digest, size: bytes.length };
}

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const bytesOf = (value) => Buffer.from(JSON.stringify(value));

/** A copy of the layout of booking's image, which `change` may damage. */
export function damaged(change) {
  const layout = join(scratch(), 'layout');
  cpSync(join(goodImages(), 'booking'), layout, { recursive: true });
  change(layout);
  return layout;
}

/**
 * A copy whose configuration and manifest are changed with all digests right, as a builder with
 * that fault would write it.
 */
export function remade(change) {
  return damaged((layout) => {
    const index = read(join(layout, 'index.json'));
    const [image, referrer] = index.manifests;
    const manifest = read(blobPath(layout, image.digest));
    const config = read(blobPath(layout, manifest.config.digest));
    change({ index, manifest, config, layout });
    manifest.config = replace(layout, manifest.config, bytesOf(config));
    index.manifests[0] = replace(layout, image, bytesOf(manifest));
    if (index.manifests[1]) {
      const other = read(blobPath(layout, referrer.digest));
      const { mediaType, digest, size } = index.manifests[0];
      other.subject = { mediaType, digest, size };
      index.manifests[1] = replace(layout, referrer, bytesOf(other));
    }
    writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  });
}

/** A copy with one more layer, of what `fill` puts into a folder; `options` are tar's. */
export function withLayer(fill, options = []) {
  return remade(({ manifest, config, layout }) => {
    const folder = scratch();
    const content = join(folder, 'content');
    mkdirSync(content);
    fill(content);
    const layer = makeLayer('planted', content, folder, 0);
    if (options.length > 0) {
      const args = ['--create', '--gzip', '--owner=0', '--group=0', ...options];
      execFileSync('tar', [...args, `--file=${layer.file}`, `--directory=${content}`, '.']);
      const bytes = readFileSync(layer.file);
      layer.descriptor.digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      layer.descriptor.size = bytes.length;
      const tar = execFileSync('gzip', ['-dc', layer.file], { maxBuffer: 1 << 26 });
      layer.diffId = `sha256:${createHash('sha256').update(tar).digest('hex')}`;
    }
    copyFileSync(layer.file, blobPath(layout, layer.descriptor.digest));
    manifest.layers.push(layer.descriptor);
    config.rootfs.diff_ids.push(layer.diffId);
    config.history.push({ created_by: 'planted' });
  });
}
