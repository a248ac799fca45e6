/**
 * Runs the workspace's test programs side by side, because most of a test is waiting for a database
 * or for a time to be over. `cargo test` runs one program after the other.
 *
 * Usage: node tests/runner/run.mjs <how many at once> <arguments of `cargo test --no-run`…>
 *
 * Each program's output is printed as a whole when it has ended; those that failed are printed again
 * by name at the end. Our docstrings have no examples to run, so there are no documentation tests.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { order, programsOf, report } from './plan.mjs';

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

async function runProgram(program) {
  const begun = Date.now();
  const env = { ...process.env, CARGO_MANIFEST_DIR: program.folder };
  const { code, output } = await run(program.path, [], { cwd: program.folder, env });
  const seconds = (Date.now() - begun) / 1000;
  process.stdout.write(`\n· ${program.name} (${seconds.toFixed(1)} s)\n${output}`);
  return { ...program, code, seconds };
}

/** Runs them in their order, so many at once. */
async function runAll(programs, atOnce) {
  const [done, waiting] = [[], [...programs]];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      done.push(await runProgram(next));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done;
}

const [atOnce, ...args] = process.argv.slice(2);
const programs = await build(args);
const timesFile = join(dirname(programs[0].path), 'sukoon-test-times.json');
const wanted = Number(atOnce) || availableParallelism();
const before = lastTimes(timesFile);
const done = await runAll(order(programs, before), wanted);
const times = Object.fromEntries(done.map(({ name, seconds }) => [name, Math.round(seconds)]));
// A run of one service's programs forgets nothing of the others.
writeFileSync(timesFile, JSON.stringify({ ...before, ...times }));
process.stdout.write(report(done));
process.exit(done.some(({ code }) => code !== 0) ? 1 : 0);
