/**
 * What images take from the distribution: files of installed packages, never a file that was
 * changed or added on this machine. Needs dpkg.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';

function run(program, ...args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The shared libraries of a program and their loader, as paths. */
export function librariesOf(program) {
  const lines = run('ldd', program).split('\n');
  const missing = lines.find((line) => line.includes('not found'));
  if (missing) throw new Error(`${program} needs ${missing.trim()}`);
  return lines.map((line) => /(\/\S+) \(0x/.exec(line)?.[1]).filter(Boolean);
}

/** The names that dpkg may know a file by: its own, and without the `/usr` of a merged system. */
function namesOf(path) {
  const real = realpathSync(path);
  return [real, real.replace(/^\/usr(?=\/lib)/, '')];
}

/** The package that a file belongs to, such as `libc6:amd64`, and the file's name in it. */
function ownerOf(path) {
  for (const file of namesOf(path)) {
    try {
      const owner = run('dpkg-query', '--search', file).split(`: ${file}`)[0];
      return { owner, file };
    } catch {
      // dpkg does not know this name.
    }
  }
  throw new Error(`${path} belongs to no package of the distribution`);
}

const sums = new Map();

/** The MD5 sum that a package has for each of its files; configuration files are left out. */
function sumsOf(owner) {
  if (!sums.has(owner)) {
    const lines = run('dpkg-query', '--control-show', owner, 'md5sums').trim().split('\n');
    const pairs = lines.map((line) => [`/${line.slice(34)}`, line.slice(0, 32)]);
    sums.set(owner, new Map(pairs));
  }
  return sums.get(owner);
}

/** The content of a package's file, which is as the package has it. */
export function contentOf(owner, file) {
  const content = readFileSync(file);
  const sum = createHash('md5').update(content).digest('hex');
  if (sumsOf(owner).get(file) !== sum) throw new Error(`${file} is not as ${owner} has it`);
  return content;
}

/** A file of the distribution: what is in it, and the package that it belongs to. */
export function distributed(path) {
  const { owner, file } = ownerOf(path);
  return { owner, content: contentOf(owner, file) };
}

/** The files of a package, as paths. */
export const filesOf = (name) => run('dpkg-query', '--listfiles', name).trim().split('\n');

/** What the distribution says of a package: `record` is dpkg's own text, the rest is from it. */
export function packageOf(owner) {
  const record = run('dpkg-query', '--status', owner);
  const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(record)?.[1];
  return {
    record,
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    source: field('Source')?.split(' ')[0],
  };
}

/** The distribution itself, such as `debian` and `12`. */
export function distribution() {
  const text = readFileSync('/usr/lib/os-release', 'utf8');
  const value = (name) => new RegExp(`^${name}="?([^"\\n]+)"?$`, 'm').exec(text)?.[1];
  return { id: value('ID'), version: value('VERSION_ID') };
}

/** The machine's architecture by the distribution's name, which is also Go's and so OCI's. */
export const architecture = () => run('dpkg', '--print-architecture').trim();
