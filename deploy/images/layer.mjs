/** Packs a folder as a layer, so that the same files always give the same bytes. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK_BYTES = 1 << 20;

/** The digest of a file's content, as descriptors have it. */
export function digestOf(path) {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    hash.update(chunk.subarray(0, read));
  }
  closeSync(file);
  return `sha256:${hash.digest('hex')}`;
}

/**
 * Everything that could differ between two machines is given: the order, the time, the owners, and
 * rights: `root` may write, all may read, and no program runs as its owner.
 */
function tarOptions(seconds) {
  return [
    '--create',
    '--format=gnu',
    '--sort=name',
    `--mtime=@${seconds}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=a-st,u=rwX,go=rX',
    '--hard-dereference',
    '--no-acls',
    '--no-selinux',
    '--no-xattrs',
  ];
}

/** Packs what is in `folder` into the tar `file`, with the time `seconds` after 1970. */
export function pack(folder, file, seconds) {
  const names = readdirSync(folder).sort();
  // Names are sorted by their bytes wherever this runs.
  const env = { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' };
  const args = [...tarOptions(seconds), `--file=${file}`, `--directory=${folder}`, '--', ...names];
  execFileSync('tar', args, { env });
}

/** Packs `folder` as a gzipped layer into `output`. Returns its descriptor, DiffID and file. */
export function makeLayer(name, folder, output, seconds) {
  const tar = join(output, `${name}.tar`);
  pack(folder, tar, seconds);
  const diffId = digestOf(tar);
  // Neither the tar's name nor its time is in the header of the gzipped file.
  execFileSync('gzip', ['--no-name', '--force', tar], { env: { ...process.env, GZIP: '' } });
  const file = join(output, `${name}.layer`);
  renameSync(`${tar}.gz`, file);
  const descriptor = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    digest: digestOf(file),
    size: statSync(file).size,
  };
  return { name, file, diffId, descriptor };
}
