/** Compares what the npm locks hold with the committed advisories. */
import { readFileSync } from 'node:fs';
import { isIn } from './ranges.mjs';

const FOLDER = 'node_modules/';

/** The packages of a lock, each with name and version. Our own package and links are left out. */
export function lockedPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([path, { version, link }]) => path.includes(FOLDER) && version && !link)
    .map(([path, { name, version }]) => {
      return { name: name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), version };
    });
}

/** What is wrong: affected packages that are not accepted, and what is accepted for nothing. */
export function faults(packages, { advisories, accepted = {} }) {
  const hits = advisories.flatMap((advisory) =>
    packages
      .filter(({ name, version }) => name === advisory.package && isIn(version, advisory.affected))
      .map(({ name, version }) => ({ ...advisory, found: `${name} ${version}` })),
  );
  const affected = hits.filter(({ id }) => !accepted[id]?.trim());
  const needless = Object.keys(accepted).filter((id) => !hits.some((hit) => hit.id === id));
  const told = affected.map(({ id, found, about }) => `${found}: ${about} (${id})`);
  return [
    ...new Set(told),
    ...needless.map((id) => `${id} is accepted, but no locked version has it`),
  ];
}

/** The packages of the locks in these files. */
export function packagesOf(files) {
  return files.flatMap((file) => lockedPackages(JSON.parse(readFileSync(file, 'utf8'))));
}
