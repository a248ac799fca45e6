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

const ROOT = join(import.meta.dirname, '../..');

/** The names of the crates that the lock has from a registry; our own have no source. */
export function lockedCrates(cargoLock) {
  const packages = cargoLock.split('[[package]]').filter((text) => /^source = /m.test(text));
  return packages.map((text) => /^name = "(.+)"$/m.exec(text)[1]);
}

function warn(kind, data, names) {
  for (const warning of warnings(data, names, Date.now())) console.log(`  ${kind}: ${warning}`);
}

function main(folder) {
  const crates = read('crates');
  warn('crates', crates, lockedCrates(readFileSync(join(ROOT, 'Cargo.lock'), 'utf8')));
  const denyToml = readFileSync(join(ROOT, 'deny.toml'), 'utf8');
  const { advisories } = crates;
  cargoDeny.fetch(ROOT);
  const { passed } = cargoDeny.check({ root: ROOT, folder: resolve(folder), advisories, denyToml });
  process.exit(passed ? 0 : 1);
}

if (import.meta.filename === process.argv[1]) main(process.argv[2]);
