/**
 * Runs the workspace's test programs side by side, because most of a test is waiting for a database
 * or for a time to be over. `cargo test` runs one program after the other.
 *
 * Usage: node tests/runner/run.mjs <how many at once> [--only <part of a test's name>]
 *          <arguments of `cargo test --no-run`…>
 *
 * Each program's output is printed as a whole when it has ended; what those that failed said of it is
 * printed again at the end, so that a log which keeps only its end has it. Our docstrings have no
 * examples to run, so there are no documentation tests.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { announced, order, programsOf, ranOf, report } from './plan.mjs';
import { wholeProofs } from './proofs.mjs';

const ROOT = join(import.meta.dirname, '../..');

function run(command, args, options) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, options);
    const output = [];
    child.stdout?.on('data', (text) => output.push(text));
    child.stderr?.on('data', (text) => output.push(text));
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, output: Buffer.concat(output) }));
  });
}

async function build(args) {
  const cargo = process.env.CARGO ?? 'cargo';
  const options = ['test', '--no-run', '--message-format=json-render-diagnostics', ...args];
  const stdio = ['ignore', 'pipe', 'inherit'];
  const built = await run(cargo, options, { cwd: ROOT, stdio });
  if (built.code !== 0) process.exit(built.code);
  return programsOf(built.output.toString());
}

/** Seconds that each program took the last time, by its name; nothing on a fresh machine. */
function lastTimes(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** What a whole run is told: the tests' name filter, and the names of the proofs to play whole. */
async function runProgram(program, { only, whole }) {
  const begun = Date.now();
  const proofs = { SUKOON_WHOLE_PROOFS: whole.join(' ') };
  const env = { ...process.env, ...proofs, CARGO_MANIFEST_DIR: program.folder };
  const args = only ? [only] : [];
  const { code, output } = await run(program.path, args, { cwd: program.folder, env });
  const seconds = (Date.now() - begun) / 1000;
  const text = output.toString();
  return { ...program, code, seconds, ran: ranOf(text), text, output: code === 0 ? '' : text };
}

/** Runs them in their order, so many at once, and prints each that ran a test. */
async function runAll(programs, atOnce, asked) {
  const [done, waiting] = [[], [...programs]];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const ended = await runProgram(next, asked);
      done.push(ended);
      if (asked.only && ended.ran === 0) continue;
      const count = `${done.length} of ${programs.length}`;
      const took = `${ended.seconds.toFixed(1)} s`;
      process.stdout.write(`\n· ${count}: ${ended.name} (${took})\n${ended.text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done;
}

const [atOnce, ...rest] = process.argv.slice(2);
const [only, args] = rest[0] === '--only' ? [rest[1], rest.slice(2)] : ['', rest];
const programs = await build(args);
const timesFile = join(dirname(programs[0].path), 'sukoon-test-times.json');
const wanted = Number(atOnce) || availableParallelism();
const before = lastTimes(timesFile);
const whole = wholeProofs();
process.stdout.write(announced(programs, before, wanted));
const done = await runAll(order(programs, before), wanted, { only, whole });
if (!only) {
  const times = Object.fromEntries(done.map(({ name, seconds }) => [name, Math.round(seconds)]));
  // A run of one service's programs forgets nothing of the others.
  writeFileSync(timesFile, JSON.stringify({ ...before, ...times }));
}
const counted = only ? done.filter(({ ran }) => ran > 0) : done;
process.stdout.write(counted.length > 0 ? report(counted) : `No test's name has "${only}".\n`);
process.exit(counted.length === 0 || done.some(({ code }) => code !== 0) ? 1 : 0);
