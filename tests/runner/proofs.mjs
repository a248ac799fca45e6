/**
 * Long proofs, which `make prove` plays whole. It notes in tests/proved.txt of which sources; where
 * these are the same, `make test` plays a tenth of the proof, and else the whole of it.
 *
 * Usage: node tests/runner/proofs.mjs note <seed>   after a run of all of them has passed
 *        node tests/runner/proofs.mjs names         the names, for SUKOON_WHOLE_PROOFS
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROVED = 'tests/proved.txt';
const HEAD = `# What \`make prove\` has played whole: the proof, a hash of the sources that it depends on, the seed
# that was drawn. Written by it; tests/runner/proofs.mjs has the proofs.
`;

const CONTRACT = ['proto', 'migrations', 'Cargo.lock', 'services/shared'];
const SUKOON = ['deploy/local', 'deploy/machine', 'deploy/server', 'deploy/staff'];
const PRACTICE = ['services', 'gateway', 'deploy/checker', 'deploy/sandbox', ...SUKOON];
const SYSTEM = [...CONTRACT, ...PRACTICE, 'deploy/services', 'tests/system'];
const SAGA = ['services/booking', 'services/payments', 'services/notifications', 'deploy/checker'];
const GUESSES = ['services/identity', 'services/identity/tests/it/spraying.rs'];

/** The files or folders that each proof depends on, by the name that its test asks for. */
export const PROOFS = {
  failpoints: SYSTEM,
  kept: SYSTEM,
  kills: SYSTEM,
  sagas: [...CONTRACT, ...SAGA, 'tests/simulation'],
  short_chaos: SYSTEM,
  spraying: [...CONTRACT, ...GUESSES],
};

/** Tests of a part judge that part, and documents judge nothing. */
const BESIDE = /^(services|gateway|deploy)\/.*(\/tests\/|\/benches\/|\.md$)/;

/** Whether a proof with these sources depends on the file `path`. */
export function dependsOn(sources, path) {
  if (sources.includes(path)) return true;
  return !BESIDE.test(path) && sources.some((source) => path.startsWith(`${source}/`));
}

/** One hash of names and contents; `read` gives a file's content. */
export function hashOf(sources, paths, read) {
  const hash = createHash('sha256');
  for (const path of paths.filter((it) => dependsOn(sources, it)).sort()) {
    const content = createHash('sha256').update(read(path)).digest('hex');
    hash.update(`${path} ${content}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}

/** The hash and the seed of each proof, as the file's text has them. */
export function provedOf(text) {
  const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name, ...at]) => [name, at]),
  );
}

function hashesNow() {
  const asked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const options = { cwd: ROOT, maxBuffer: 1 << 26 };
  const listed = execFileSync('git', asked, options).toString().split('\0').filter(Boolean);
  const paths = [...new Set(listed)].filter((path) => existsSync(join(ROOT, path)));
  const contents = new Map();
  const read = (path) => {
    if (!contents.has(path)) contents.set(path, readFileSync(join(ROOT, path)));
    return contents.get(path);
  };
  const hashes = Object.entries(PROOFS).map(([name, it]) => [name, hashOf(it, paths, read)]);
  return Object.fromEntries(hashes);
}

/** The proofs that this run has to play whole, and a line that says so of each. */
export function plan(hashes, proved) {
  const whole = Object.keys(hashes).filter((name) => proved[name]?.[0] !== hashes[name]);
  const lines = Object.keys(hashes).map((name) => {
    const seed = proved[name]?.[1];
    return whole.includes(name) ? `${name}: whole` : `${name}: a tenth, proved from seed ${seed}`;
  });
  return { whole, lines };
}

/** Says what this run plays of each proof; returns the names of the whole ones. */
export function wholeProofs() {
  const file = join(ROOT, PROVED);
  const proved = existsSync(file) ? provedOf(readFileSync(file, 'utf8')) : {};
  if (!existsSync(join(ROOT, '.git'))) return Object.keys(PROOFS);
  const { whole, lines } = plan(hashesNow(), proved);
  process.stdout.write(`Long proofs (make prove plays them whole):\n  ${lines.join('\n  ')}\n`);
  return whole;
}

function note(seed) {
  const hashes = Object.entries(hashesNow());
  const lines = hashes.map(([name, hash]) => `${name} ${hash} ${seed}\n`);
  writeFileSync(join(ROOT, PROVED), HEAD + lines.join(''));
}

if (process.argv[1] === import.meta.filename) {
  const [what, seed] = process.argv.slice(2);
  if (what === 'note' && seed) note(seed);
  else process.stdout.write(`${Object.keys(PROOFS).join(' ')}\n`);
}
