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
    .filter(({ reason, profile, executable, target }) => {
      const isTest = reason === 'compiler-artifact' && profile.test && executable;
      return isTest && !target.kind?.includes('bench');
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

/** How many programs there are and, where a run before has told, about how long they take. */
export function announced(programs, times, atOnce) {
  const known = programs.map(({ name }) => times[name]).filter((seconds) => seconds !== undefined);
  const minutes = Math.ceil(known.reduce((sum, seconds) => sum + seconds, 0) / atOnce / 60);
  const about = known.length === programs.length ? `; about ${minutes} min` : '';
  return `${programs.length} test programs, ${atOnce} at once${about}\n`;
}

/** How many tests a program has run, by what it said. */
export function ranOf(output) {
  const results = [...output.matchAll(/^test result: .*?(\d+) passed; (\d+) failed/gm)];
  return results.reduce((sum, [, passed, failed]) => sum + Number(passed) + Number(failed), 0);
}

/** How many lines of what a failed program said are printed again at the end. */
const SAID_LINES_MAX = 60;
/** A line of a backtrace: a frame's number and name, or its place. */
const FRAME = /^\s+(\d+: |at )/;

/** The part of a program's output that tells what failed, without backtraces. */
export function failuresOf(output) {
  const lines = output.split('\n');
  const begin = lines.indexOf('failures:');
  const told = begin < 0 ? lines : lines.slice(begin);
  const read = told.filter((line) => line.trim() && !FRAME.test(line));
  return read.slice(-SAID_LINES_MAX).join('\n');
}

/** How long each of the longest took, which failed, and what those said. */
export function report(done) {
  const longest = [...done].sort((a, b) => b.seconds - a.seconds).slice(0, 12);
  const lines = longest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
  const failed = done.filter(({ code }) => code !== 0);
  const said = failed.map(({ name, output }) => `\n· ${name} failed:\n${failuresOf(output)}\n`);
  const names = failed.map(({ name }) => name).join(', ');
  const verdict =
    failed.length > 0
      ? `${failed.length} of ${done.length} test programs FAILED: ${names}`
      : `All ${done.length} test programs passed.`;
  return `\nThe longest test programs:\n${lines.join('\n')}\n${said.join('')}${verdict}\n`;
}
