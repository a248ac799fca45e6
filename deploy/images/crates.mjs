/**
 * Which crates a program is made of, by Cargo.lock. What tests and build scripts of our own crates
 * need is left out. Of other crates the lock does not tell what only builds or only other systems
 * need, so that the list may have too many, and never too few.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages of a Cargo.lock. Our own have no source. */
export function readLock(text) {
  return text
    .split('[[package]]\n')
    .slice(1)
    .map((block) => {
      const field = (name) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(block)?.[1];
      const list = /^dependencies = \[\n([^\]]*)\]/m.exec(block)?.[1] ?? '';
      return {
        name: field('name'),
        version: field('version'),
        source: field('source'),
        checksum: field('checksum'),
        dependencies: [...list.matchAll(/"(.+)"/g)].map((match) => match[1]),
      };
    });
}

/** The names that a Cargo.toml gives its dependencies: those of the program, and all others. */
export function readManifest(text) {
  const linked = new Set();
  const others = new Set();
  let names;
  for (const line of text.split('\n')) {
    const table = /^\[(.+)\]$/.exec(line)?.[1];
    if (table) {
      const [, kind, name] = /(?:^|\.)((?:dev-|build-)?dependencies)(?:\.(.+))?$/.exec(table) ?? [];
      names = kind && (kind === 'dependencies' ? linked : others);
      if (name) names.add(name);
    } else if (names) {
      const name = /^"?([\w-]+)"?(?:\.\w+)?\s*=/.exec(line)?.[1];
      if (name) names.add(name);
    }
  }
  return { linked, others };
}

/** The folders that the workspace's members are in. */
function memberFolders(root) {
  const text = readFileSync(join(root, 'Cargo.toml'), 'utf8');
  const list = /^members = \[([^\]]*)\]/m.exec(text)[1];
  return [...list.matchAll(/"(.+)"/g)].flatMap(([, pattern]) => {
    if (!pattern.endsWith('/*')) return [join(root, pattern)];
    const parent = join(root, pattern.slice(0, -2));
    return readdirSync(parent).map((name) => join(parent, name));
  });
}

/** The dependencies that each member has for its tests and build scripts alone, by its name. */
function readMembers(root) {
  const entries = memberFolders(root).map((folder) => {
    const text = readFileSync(join(folder, 'Cargo.toml'), 'utf8');
    const { linked, others } = readManifest(text);
    const name = /^name = "(.+)"$/m.exec(text)[1];
    return [name, new Set([...others].filter((it) => !linked.has(it)))];
  });
  return new Map(entries);
}

/** The crates that the members `roots` are made of, themselves included, sorted by name. */
export function cratesOf(roots, lock, unlinked) {
  const found = new Map();
  const find = (dependency) => {
    const [name, version] = dependency.split(' ');
    return lock.find((it) => it.name === name && (!version || it.version === version));
  };
  const visit = (crate) => {
    if (found.has(crate)) return;
    const wanted = crate.dependencies.filter(
      (it) => !unlinked.get(crate.name)?.has(it.split(' ')[0]),
    );
    const crates = wanted.map(find);
    found.set(crate, crates);
    crates.forEach(visit);
  };
  roots.map(find).forEach(visit);
  const order = ([one], [other]) => (keyOf(one) < keyOf(other) ? -1 : 1);
  return [...found].sort(order).map(([crate, crates]) => ({ ...crate, crates }));
}

const keyOf = ({ name, version }) => `${name} ${version}`;

/** The crates that programs of this checkout are made of, by the names of their packages. */
export function cratesOfPrograms(root, packages) {
  const lock = readLock(readFileSync(join(root, 'Cargo.lock'), 'utf8'));
  return cratesOf(packages, lock, readMembers(root));
}
