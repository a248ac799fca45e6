/**
 * Runs a program against a practice of its own: node tools/with-practice.mjs <program> [arguments].
 *
 * The program finds the practice's address in SUKOON_URL. A practice of its own has a few reviews,
 * because an empty one shows less, and is stopped when the program ends or on a signal. Where
 * SUKOON_URL is set already, the practice that answers there is used as it is: nothing is started
 * and nothing is written into it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runnerImport } from 'vite';
import { writeReviews } from './reviews.mjs';

/** Opening many pages must not meet a rate limit. */
const MUCH_ASKED = { GATEWAY_LIMIT_REVIEWS: '200/200' };
/** The signals that end it, and the exit status that a shell gives for each. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Waits for the program's end, also after a signal: it has a browser of its own to stop. */
async function run([program, ...args], url, leaving) {
  leaving.throwIfAborted();
  const env = { ...process.env, SUKOON_URL: url };
  const child = spawn(program, args, { env, stdio: 'inherit' });
  leaving.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

async function main(command, leaving) {
  const given = process.env.SUKOON_URL;
  if (given) return run(command, given.replace(/\/$/, ''), leaving);
  const { module } = await runnerImport('./e2e/support/practice.ts');
  leaving.throwIfAborted();
  const practice = await module.startPractice('tools', MUCH_ASKED, leaving);
  try {
    const { url } = new module.Practice(practice.data);
    await writeReviews(url);
    return await run(command, url, leaving);
  } finally {
    await practice.stop();
  }
}

let told;
const leaving = new AbortController();
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    told ??= code;
    leaving.abort();
  });
}
try {
  process.exitCode = await main(process.argv.slice(2), leaving.signal);
} catch (error) {
  if (told === undefined) throw error;
}
process.exitCode = told ?? process.exitCode;
