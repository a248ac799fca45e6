/**
 * Unpacks an image and starts its programs in it as a cluster would: in a root of its own that is
 * read-only, as the image's user, with its settings, without capabilities and without a way to get
 * any. Needs root, for chroot and mounts, and util-linux.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build.mjs';
import { blobPath } from '../layout.mjs';

const SECONDS_MAX = 60;
/** Makes such a root of the folder `$1`, and runs the rest as the user `$2` of the group `$3`. */
const SCRIPT = `set -eu
root=$1 user=$2 group=$3
shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
if mkdir "$root/tmp/probe" 2>/dev/null; then echo "the root can be written" >&2; exit 99; fi
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
    chroot --userspec="$user:$group" --groups= "$root" "$@"`;

/** Unpacks an image's layers into a folder, with their owners and rights. */
export function unpack(layout, { manifest }, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { digest } of manifest.layers) {
    const file = blobPath(layout, digest);
    execFileSync('tar', ['--extract', '--same-owner', '-p', '-z', '-f', file, '-C', folder]);
  }
  return folder;
}

function prepared({ config: { config } }, root, command, settings) {
  const [user, group] = config.User.split(':');
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts'];
  const args = [...isolated, 'sh', '-c', SCRIPT, 'sh', root, user, group, ...command];
  const pairs = [...config.Env, ...settings].map((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)];
  });
  // `mount` and its like have to be found; programs of the image are named with their folder.
  const env = { ...Object.fromEntries(pairs), PATH: process.env.PATH };
  return { args, options: { env, stdio: ['ignore', 'pipe', 'pipe'] } };
}

/** Runs a command of an image, which reads `input`, to its end: its code, and what it said. */
export function run(image, root, command, input = '') {
  const { args, options } = prepared(image, root, command, []);
  const limits = { timeout: SECONDS_MAX * 1000, maxBuffer: 1 << 26 };
  const ended = spawnSync('unshare', args, { ...options, ...limits, stdio: 'pipe', input });
  if (ended.error) throw ended.error;
  return { code: ended.status, said: `${ended.stdout}${ended.stderr}` };
}

/** Starts a command of an image that goes on until it is killed. */
export function start(image, root, command, settings = []) {
  const { args, options } = prepared(image, root, command, settings);
  return spawn('unshare', args, options);
}

/** What a service says when it has no settings: which are missing. */
const unsettled = (name) => ({
  code: 2,
  says: new RegExp(`^${name}: the settings are not complete:\n`),
});

/** Reviews starts its own program again to draw a picture anew; a picture of ours comes out. */
const shrunk = (program) => ({
  command: [program, 'shrink'],
  input: readFileSync(join(ROOT, 'deploy/local/practice/media/meditation.jpg')),
  code: 0,
  says: /RIFF....WEBP/s,
});

/** What each program of an image has to answer when it gets no settings. */
export function answersOf(image, services) {
  const program = (name) => join(image.command[0], '..', name);
  if (image.name === 'sandbox') {
    return [{ command: image.command, code: 1, says: /runs with SUKOON_MODE=development only/ }];
  }
  const ofService = { command: image.command, ...unsettled(image.name) };
  if (image.name === 'reviews') return [ofService, shrunk(program('services'))];
  if (image.name !== 'sukoon') return [ofService];
  return [
    {
      command: [...image.command, 'check'],
      code: 1,
      says: /no practice was found: .*_DATABASE_URL/,
    },
    { command: [program('checker')], ...unsettled('checker') },
    ...services.map((name) => ({ command: [program('services'), name], ...unsettled(name) })),
  ];
}

/** What a program did otherwise than it has to, or nothing. */
export function answerFault(image, root, { command, input, code, says }) {
  const ended = run(image, root, command, input);
  if (ended.code === code && says.test(ended.said)) return null;
  return `${command.join(' ')} ended with ${ended.code} and said: ${ended.said.slice(0, 400)}`;
}
