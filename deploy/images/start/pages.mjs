/** Starts the gateway of an image, and asks it for the site's first page over HTTP. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PLACES } from '../images.mjs';
import { start } from './start.mjs';

const SECONDS_MAX = 60;
/** The origin in pages that are built; the gateway puts its own in its place. */
const BUILD_ORIGIN = 'https://site.invalid';
/** Addresses of other services. At them nothing listens: pages need none of them. */
const ELSEWHERE = [
  'CATALOGUE_URL',
  'BOOKING_URL',
  'PAYMENTS_URL',
  'NOTIFICATIONS_URL',
  'REVIEWS_URL',
  'IDENTITY_URL',
  'PAYMENTS_HTTP_URL',
  'REVIEWS_HTTP_URL',
  'TOKEN_JWKS_URL',
  'TOKEN_ISSUER',
];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Asks until there is an answer, the process has ended, or the time is over. */
async function ask(url, process) {
  const end = Date.now() + SECONDS_MAX * 1000;
  while (Date.now() < end && process.exitCode === null) {
    try {
      return await fetch(url);
    } catch {
      await pause(50);
    }
  }
  return null;
}

/** What is wrong with the page that the image's gateway answers with, or nothing. */
export async function pageFault(image, root) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = [`GATEWAY_LISTEN=127.0.0.1:${port}`, `PUBLIC_URL=${url}`];
  settings.push('SUKOON_MODE=development');
  settings.push(...ELSEWHERE.map((name) => `${name}=http://127.0.0.1:9`));
  const gateway = start(image, root, image.command, settings);
  let said = '';
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.on('data', (text) => (said += text));
  const ended = new Promise((done) => gateway.once('exit', done));
  try {
    const answer = await ask(url, gateway);
    if (!answer) return `the gateway did not answer: ${said.slice(-400)}`;
    const page = await answer.text();
    const file = readFileSync(join(root, PLACES.pages, 'index.html'), 'utf8');
    if (answer.status === 200 && page === file.replaceAll(BUILD_ORIGIN, url)) return null;
    return `the gateway answered ${answer.status} and ${page.length} characters`;
  } finally {
    gateway.kill('SIGKILL');
    await ended;
  }
}
