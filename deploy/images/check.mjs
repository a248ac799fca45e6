/**
 * Checks images that are built: that they come out the same again, keep the specification and our
 * own rules, list the crates that their programs have, and start. Needs root, for chroot.
 *   node check.mjs PROGRAMS PAGES PRACTICE IMAGES
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { IMAGES, PLACES, SERVICES } from './images.mjs';
import { digestOf } from './layer.mjs';
import { bytesOf, policyFaults, sbomIn } from './policy.mjs';
import { pageFault } from './start/pages.mjs';
import { answerFault, answersOf, unpack } from './start/start.mjs';
import { readLayout } from './validate.mjs';

/** What must not matter: the rights of new files, the zone, the language. */
const ELSEWHERE = { TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8' };

/** Builds the images again, from copies of the files and under other circumstances. */
function buildAgain([programs, pages, practice], folder) {
  const copies = ['pages', 'practice'].map((name) => join(folder, name));
  cpSync(pages, copies[0], { recursive: true, dereference: true });
  cpSync(practice, copies[1], { recursive: true, dereference: true });
  const script = 'umask 077; exec "$@"';
  const command = [process.execPath, join(import.meta.dirname, 'build.mjs'), programs, ...copies];
  const env = { ...process.env, ...ELSEWHERE };
  const output = join(folder, 'again');
  execFileSync('sh', ['-c', script, 'sh', ...command, output], { env, stdio: 'ignore' });
  return output;
}

/** What differs between two builds. */
export function differences(one, other) {
  const files = IMAGES.flatMap(({ name }) => [
    `${name}/index.json`,
    `${name}.tar`,
    `${name}.cdx.json`,
  ]);
  const differs = (file) => digestOf(join(one, file)) !== digestOf(join(other, file));
  return ['digests.txt', ...files]
    .filter(differs)
    .map((file) => `another build has another ${file}`);
}

/** The crates whose source files a program names, as `name-version`: panics tell where they are. */
export function cratesIn(program) {
  const pattern = 'registry/src/[^/]+/[A-Za-z0-9_.+-]+/';
  const options = ['--only-matching', '--text', '--extended-regexp', pattern, program];
  const text = execFileSync('grep', options, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return new Set(
    text
      .trim()
      .split('\n')
      .map((path) => path.split('/').at(-2)),
  );
}

/** Crates that are in a program and not in the list of what is inside. */
export function unlisted(crates, sbom) {
  const listed = new Set(sbom.components.map(({ name, version }) => `${name}-${version}`));
  return [...crates].filter((crate) => !listed.has(crate)).map((it) => `${it} is not in the list`);
}

/** The image in a tar is the layout's. */
function tarFaults(file, digest, folder) {
  mkdirSync(folder);
  execFileSync('tar', ['--extract', '--file', file, '--directory', folder]);
  const { faults, image } = readLayout(folder);
  rmSync(folder, { recursive: true });
  if (image.descriptor?.digest !== digest) faults.push('it has another image');
  return faults.map((fault) => `${basename(file)}: ${fault}`);
}

async function startFaults({ name, command }, image, root) {
  const faults = answersOf({ name, command }, SERVICES).map((it) => answerFault(image, root, it));
  const pages = name === 'gateway' && (await pageFault({ ...image, command }, root));
  return [...faults, pages].filter(Boolean);
}

/** What is wrong with one image, and how large it is. */
async function check({ name, programs, command }, images, scratch) {
  const layout = join(images, name);
  const read = readLayout(layout);
  if (read.faults.length > 0) return { faults: read.faults };
  const { image, referrers } = read;
  const faults = policyFaults(layout, read);
  faults.push(...tarFaults(`${layout}.tar`, image.descriptor.digest, join(scratch, 'tar')));
  const root = unpack(layout, image, join(scratch, 'root'));
  for (const program of programs) {
    const crates = cratesIn(join(root, PLACES.programs, program));
    faults.push(...unlisted(crates, sbomIn(layout, referrers)));
  }
  const { Entrypoint } = image.config.config;
  if (Entrypoint.join(' ') !== command.join(' ')) faults.push(`it starts ${Entrypoint.join(' ')}`);
  faults.push(...(await startFaults({ name, command }, image, root)));
  const unpacked = Number(execFileSync('du', ['-sb', root], { encoding: 'utf8' }).split('\t')[0]);
  return { faults, digest: image.descriptor.digest, pulled: bytesOf(image.manifest), unpacked };
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`.padStart(9);

async function main(args) {
  if (process.getuid() !== 0) throw new Error('checking images needs root, for chroot and mounts');
  const input = args.slice(0, 3).map((path) => resolve(path));
  const images = resolve(args[3]);
  const scratch = mkdtempSync(join(tmpdir(), 'sukoon-images-'));
  let bad = 0;
  const tell = (name, faults) => {
    for (const fault of faults) console.error(`${name}: ${fault}`);
    bad += faults.length;
  };
  try {
    tell('two builds', differences(images, buildAgain(input, scratch)));
    for (const image of IMAGES) {
      const { faults, digest, pulled, unpacked } = await check(image, images, scratch);
      tell(image.name, faults);
      if (!digest) continue;
      const sizes = `${megabytes(pulled)} pulled, ${megabytes(unpacked)} unpacked`;
      console.log(`${image.name.padEnd(14)} ${sizes}  ${digest}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(bad ? `${bad} faults.` : `All ${IMAGES.length} images are good.`);
  process.exit(bad ? 1 : 0);
}

if (import.meta.filename === process.argv[1]) await main(process.argv.slice(2));
