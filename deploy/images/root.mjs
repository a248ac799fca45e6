/**
 * Makes the folders that layers are packed from: the root that every image has, one for each
 * program, one with the site's pages and one with the practice's files.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PLACES, PROGRAMS, USER } from './images.mjs';
import { contentOf, distributed, filesOf, librariesOf, packageOf } from './packages.mjs';

/** Folders that an engine mounts something over; a root that is read-only needs them there. */
const MOUNT_POINTS = ['dev', 'proc', 'run', 'sys', 'tmp'];
/** Where programs look for certificates of authorities. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The package that has them. */
const AUTHORITIES = 'ca-certificates';
const ACCOUNTS = {
  '/etc/passwd': `root:x:0:0::/:/sbin/nologin\nsukoon:x:${USER}:${USER}::/:/sbin/nologin\n`,
  '/etc/group': `root:x:0:\nsukoon:x:${USER}:\n`,
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

function put(root, path, content, mode = 0o644) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/**
 * The certificates that the package came with. The machine's own bundle is not taken, because
 * authorities of one machine or one network may be in it.
 */
function certificates(owner) {
  const paths = filesOf(owner).filter((path) => /\/mozilla\/.+\.crt$/.test(path));
  const texts = paths.sort().map((path) => contentOf(owner, path).toString().trimEnd());
  return `${texts.join('\n')}\n`;
}

/** Puts the root together that every image has. Returns the packages that it is made of. */
export function makeBase(root, programs) {
  const libraries = [...new Set(programs.flatMap(librariesOf))].sort();
  const owners = new Set();
  for (const path of libraries) {
    const { owner, content } = distributed(path);
    put(root, path, content, 0o755);
    owners.add(owner);
  }
  put(root, CERTIFICATES, certificates(AUTHORITIES));
  const release = distributed('/usr/lib/os-release');
  put(root, '/usr/lib/os-release', release.content);
  for (const [path, content] of Object.entries(ACCOUNTS)) put(root, path, content);
  symlinkSync('../usr/lib/os-release', join(root, 'etc/os-release'));
  for (const folder of MOUNT_POINTS) mkdirSync(join(root, folder));
  return [...owners, AUTHORITIES, release.owner].map((owner) => record(root, owner));
}

/** Leaves a package's licence, and dpkg's record of it, by which scanners know its version. */
function record(root, owner) {
  const found = packageOf(owner);
  put(root, `/var/lib/dpkg/status.d/${found.name}`, found.record);
  const licence = `/usr/share/doc/${found.name}/copyright`;
  put(root, licence, distributed(licence).content);
  return found;
}

function makeProgram(root, program) {
  const folder = join(root, PLACES.programs);
  mkdirSync(folder, { recursive: true });
  cpSync(program, join(folder, basename(program)), { dereference: true });
  chmodSync(join(folder, basename(program)), 0o755);
}

function makePages(root, pages) {
  cpSync(pages, join(root, PLACES.pages), { recursive: true, dereference: true });
}

/** The practice's words and rules. Its videos and pictures are among the pages. */
function makePractice(root, practice) {
  const files = readdirSync(practice).filter((name) => name.endsWith('.toml'));
  for (const name of files) {
    const target = join(root, PLACES.practice, name);
    cpSync(join(practice, name), target, { dereference: true });
  }
}

/** Makes the folder of every layer below `folder`. Returns the packages of the layer `base`. */
export function makeFolders(folder, { programs, pages, practice }) {
  const rootOf = (layer) => join(folder, layer);
  const files = PROGRAMS.map((name) => join(programs, name));
  for (const layer of ['base', ...PROGRAMS, 'pages', 'practice']) mkdirSync(rootOf(layer));
  for (const file of files) makeProgram(rootOf(basename(file)), file);
  makePages(rootOf('pages'), pages);
  makePractice(rootOf('practice'), practice);
  return makeBase(rootOf('base'), files);
}
