/**
 * Checks the dependencies without the network: what may come in, and that no locked version has a
 * known vulnerability. What is known is committed here.
 *
 * Usage: node tests/dependencies/check.mjs <folder for tools and what they make>
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as cargoDeny from './cargo-deny.mjs';
import { read, warnings } from './data.mjs';
import { faults, packagesOf } from './npm.mjs';

export const ROOT = join(import.meta.dirname, '../..');
/** Each lock of npm packages that we install from. */
export const LOCKS = ['web', 'tests/lighthouse', 'deploy/kubernetes/check'].map((it) =>
  join(ROOT, it, 'package-lock.json'),
);

/** The names of the crates that the lock has from a registry; our own have no source. */
export function lockedCrates(cargoLock) {
  const packages = cargoLock.split('[[package]]').filter((text) => /^source = /m.test(text));
  return packages.map((text) => /^name = "(.+)"$/m.exec(text)[1]);
}

function warn(kind, data, names) {
  for (const warning of warnings(data, names, Date.now())) console.log(`  ${kind}: ${warning}`);
}

function checkCrates(folder) {
  const crates = read('crates');
  warn('crates', crates, lockedCrates(readFileSync(join(ROOT, 'Cargo.lock'), 'utf8')));
  const denyToml = readFileSync(join(ROOT, 'deny.toml'), 'utf8');
  const { advisories } = crates;
  cargoDeny.fetch(ROOT);
  return cargoDeny.check({ root: ROOT, folder: resolve(folder), advisories, denyToml }).passed;
}

function checkNpm() {
  const npm = read('npm');
  const packages = packagesOf(LOCKS);
  const names = packages.map(({ name }) => name);
  warn('npm', npm, names);
  const found = faults(packages, npm);
  for (const fault of found) console.error(`npm: ${fault}`);
  return found.length === 0;
}

function main(folder) {
  const passed = [checkNpm(), checkCrates(folder)];
  process.exit(passed.every(Boolean) ? 0 : 1);
}

if (import.meta.filename === process.argv[1]) main(process.argv[2]);
