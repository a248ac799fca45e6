/** Which test programs there are, in which order they run, and what is said at the end. */
import { dirname } from 'node:path';

/** On a fresh machine: those that take longest, first, so that none is left alone at the end. */
const LONGEST = [
  'system failpoints',
  'payments it',
  'notifications it',
  'reviews it',
  'system short_chaos',
  'system outages',
  'system kills',
  'simulation it',
  'booking it',
  'system kept',
  'identity it',
  'system staff',
  'system journey',
  'system money',
  'system replay',
];

/** The test programs among the messages that `cargo test --message-format=json` prints. */
export function programsOf(messages) {
  const lines = messages.split('\n').filter((line) => line.startsWith('{'));
  const artifacts = lines.map((line) => JSON.parse(line));
  return artifacts
    .filter(({ reason, profile, executable }) => {
      return reason === 'compiler-artifact' && profile.test && executable;
    })
    .map(({ executable, manifest_path, target }) => {
      const folder = dirname(manifest_path);
      const crate = folder.slice(folder.lastIndexOf('/') + 1);
      return { name: `${crate} ${target.name}`, path: executable, folder };
    });
}

function rank(name, times) {
  const listed = LONGEST.indexOf(name);
  return times[name] ?? (listed < 0 ? 0 : 1000 - listed);
}

/** The longest first, by the last run or by what is known of them. */
export function order(programs, times) {
  return [...programs].sort((a, b) => rank(b.name, times) - rank(a.name, times));
}

/** How long each of the longest took, and which failed. */
export function report(done) {
  const longest = [...done].sort((a, b) => b.seconds - a.seconds).slice(0, 12);
  const lines = longest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
  const failed = done.filter(({ code }) => code !== 0).map(({ name }) => name);
  const verdict =
    failed.length > 0
      ? `${failed.length} of ${done.length} test programs FAILED: ${failed.join(', ')}`
      : `All ${done.length} test programs passed.`;
  return `\nThe longest test programs:\n${lines.join('\n')}\n${verdict}\n`;
}
