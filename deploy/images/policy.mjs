/**
 * What we demand of an image beyond the specification: a user that is a number and not root, files
 * that this user cannot change, no more bytes than promised, and a list of what is inside.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BYTES_MAX } from './images.mjs';
import { blobPath, MEDIA_TYPES } from './layout.mjs';

const LABELS = ['created', 'title', 'description', 'version', 'licenses'];
/** A line of `tar --list`: after the rights comes a mark where a file has attributes. */
const ENTRY = /^(.)([-rwxsStT]{9})([ +*.]?) (\d+)\/(\d+) +\S+ +\S+ \S+ (.+)$/;

/** The user and the group as numbers, or nothing if one of them is a name. */
function userOf(config) {
  const match = /^(\d+):(\d+)$/.exec(config.config?.User ?? '');
  return match && { user: Number(match[1]), group: Number(match[2]) };
}

/** What a layer's tar has, as `tar` lists it. */
export function entriesOf(file) {
  const options = ['--list', '--verbose', '--numeric-owner', '--quoting-style=escape'];
  const args = [...options, '--xattrs', '--gzip', '--file', file];
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC', TAR_OPTIONS: '' };
  const text = execFileSync('tar', args, { encoding: 'utf8', env, maxBuffer: 1 << 28 });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, type, mode, mark, user, group, rest] = ENTRY.exec(line) ?? [];
      if (!type) return { type: '?', path: line };
      const [path] = rest.split(/ -> | link to /);
      return { type, mode, mark, user: Number(user), group: Number(group), path };
    });
}

/** What is wrong with an entry, if `account` runs the program. */
export function entryFault({ type, mode, mark, user, group, path }, account) {
  if (!'-dl'.includes(type)) return `${path} is neither a file, a folder nor a link`;
  if (path.startsWith('/') || path.split('/').includes('..'))
    return `${path} leads out of the root`;
  if (path.split('/').some((name) => name.startsWith('.wh.'))) return `${path} takes a file away`;
  if (/[sS]/.test(mode)) return `${path} runs as its owner or group: ${mode}`;
  if ((mark ?? '').trim()) return `${path} has attributes, such as capabilities`;
  if (type === 'l') return null;
  // An owner can give itself every right.
  if (user === account.user) return `${path} belongs to the user`;
  if (mode[7] === 'w') return `${path} can be written by all: ${mode}`;
  const own = group === account.group && mode[4] === 'w';
  return own ? `${path} can be written by the user's group: ${mode}` : null;
}

function filesFaults(layout, manifest, account) {
  return manifest.layers.flatMap(({ digest }) => {
    const entries = entriesOf(blobPath(layout, digest));
    const paths = entries.map(({ path }) => path);
    const double = paths.filter((path, at) => paths.indexOf(path) !== at);
    const faults = entries.map((entry) => entryFault(entry, account)).filter(Boolean);
    return [...faults, ...double.map((path) => `${path} is twice in one layer`)];
  });
}

/** The bytes of an image's blobs, as they are pulled. */
export function bytesOf({ config, layers }) {
  return [config, ...layers].reduce((sum, { size }) => sum + size, 0);
}

/** The list of what is inside, from the layout, or nothing. */
export function sbomIn(layout, referrers) {
  const found = referrers.find(({ artifactType }) => artifactType === MEDIA_TYPES.sbom);
  return found && JSON.parse(readFileSync(blobPath(layout, found.blobs[0]), 'utf8'));
}

/** What is wrong with an image that was read without a fault. */
export function policyFaults(layout, { image: { manifest, config }, referrers }) {
  const account = userOf(config);
  if (!account) return [`the user ${config.config?.User} is not two numbers`];
  const faults = filesFaults(layout, manifest, account);
  if (account.user === 0 || account.group === 0) faults.push('the user is root');
  const bytes = bytesOf(manifest);
  if (bytes > BYTES_MAX) faults.push(`${bytes} bytes are more than ${BYTES_MAX}`);
  for (const name of LABELS.map((it) => `org.opencontainers.image.${it}`)) {
    if (!config.config.Labels?.[name]) faults.push(`the label ${name} is missing`);
    if (!manifest.annotations?.[name]) faults.push(`the annotation ${name} is missing`);
  }
  const sbom = sbomIn(layout, referrers);
  if (!sbom) faults.push('there is no list of what is inside');
  else if (sbom.bomFormat !== 'CycloneDX' || !(sbom.components?.length > 0)) {
    faults.push('the list of what is inside is empty');
  }
  return faults;
}
