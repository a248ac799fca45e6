/**
 * Builds the images from programs and pages that are built already, without a container engine:
 *   node build.mjs PROGRAMS PAGES PRACTICE OUTPUT
 * `make images` calls it. It needs Debian's dpkg, GNU tar, gzip and ldd, no root and no network.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cratesOfPrograms } from './crates.mjs';
import { IMAGES, PROGRAMS } from './images.mjs';
import { makeLayer } from './layer.mjs';
import { writeImage } from './layout.mjs';
import { architecture, distribution } from './packages.mjs';
import { makeFolders } from './root.mjs';
import { pagePackages, sbomOf } from './sbom.mjs';

export const ROOT = join(import.meta.dirname, '../..');

/** What git says, or nothing where there is no history. Root may ask about a user's checkout. */
function git(...args) {
  const here = ['-C', ROOT, '-c', `safe.directory=${ROOT}`];
  try {
    return execFileSync('git', [...here, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}

/** What the images are made from. All times in them are the last commit's. */
export function readSource() {
  const toml = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8');
  const field = (name) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(toml)[1];
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? (git('log', '-1', '--format=%ct') || 0));
  const created = new Date(seconds * 1000).toISOString().replace('.000', '');
  const changed = git('status', '--porcelain', '--untracked-files=no') ? '-changed' : '';
  const version = `${field('version')}-${created.replace(/\D/g, '')}${changed}`;
  const revision = git('rev-parse', 'HEAD');
  return {
    seconds,
    created,
    version,
    reference: version,
    revision: revision && `${revision}${changed}`,
    licence: field('license'),
    architecture: architecture(),
  };
}

function checkInput({ programs, pages, practice }) {
  const needed = PROGRAMS.map((name) => join(programs, name));
  needed.push(join(pages, 'index.html'), join(practice, 'practice.toml'));
  const missing = needed.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`not built or not there: ${missing.join(', ')}`);
}

/** The list of what is in an image. */
function listOf(image, packages, source) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'web/package-lock.json'), 'utf8'));
  return sbomOf(image, {
    crates: cratesOfPrograms(ROOT, image.programs),
    packages,
    pages: image.layers.includes('pages') ? pagePackages(lock) : [],
    distribution: distribution(),
    source,
  });
}

/** Builds all images below `output`. Returns the name and the digest of each. */
export function build(input, output) {
  checkInput(input);
  const source = readSource();
  mkdirSync(output, { recursive: true });
  const scratch = mkdtempSync(join(output, '.layers-'));
  try {
    const folders = join(scratch, 'folders');
    mkdirSync(folders);
    const packages = makeFolders(folders, input);
    const names = [...new Set(IMAGES.flatMap(({ layers }) => layers))];
    const made = new Map(
      names.map((it) => [it, makeLayer(it, join(folders, it), scratch, source.seconds)]),
    );
    const digests = IMAGES.map((image) => {
      const layers = image.layers.map((it) => made.get(it));
      const digest = writeImage(output, image, {
        layers,
        sbom: listOf(image, packages, source),
        source,
      });
      return { name: image.name, digest };
    });
    const lines = digests.map(({ name, digest }) => `${digest}  ${name}\n`);
    writeFileSync(join(output, 'digests.txt'), lines.join(''));
    return digests;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function main([programs, pages, practice, output]) {
  const input = { programs: resolve(programs), pages: resolve(pages), practice: resolve(practice) };
  for (const { name, digest } of build(input, resolve(output))) console.log(`${digest}  ${name}`);
}

if (import.meta.filename === process.argv[1]) main(process.argv.slice(2));
