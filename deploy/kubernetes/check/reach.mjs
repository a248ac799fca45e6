/** The connections that are allowed, derived from the table of ARCHITECTURE.md ("Trust boundaries"). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
/** How the table's head begins; tests/tidy reads the same table and compares it with the code. */
const HEAD = '| Service | Called by services |';

/** Where services listen for calls, and for HTTP. */
export const PORTS = { grpc: 9000, https: 9001, postgres: 5432, nats: 4222 };
/** The services with an HTTP port, which the gateway hands requests on to. */
const WITH_HTTP = ['identity', 'payments', 'reviews'];

/**
 * The third parties of each service by their ports. The table does not name them: it is about our
 * own parts, and these are the arrows that leave the picture above it.
 */
export const OUTSIDE = {
  booking: { ports: [443], why: 'the meeting provider, and practitioners’ own calendars' },
  identity: {
    ports: [443],
    why: 'the sender of messages to phones, and other providers of sign-ins',
  },
  notifications: { ports: [465, 587], why: 'the mail server' },
  payments: { ports: [443], why: 'the payment provider' },
  reviews: { ports: [443], why: 'the bucket of pictures' },
};

/** The table's rows: `{ service: { callers, sources, database } }`. */
export function readTable(page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')) {
  const lines = page.split('\n');
  const begin = lines.findIndex((line) => line.startsWith(HEAD));
  if (begin < 0) throw new Error('ARCHITECTURE.md has no table of who may reach what');
  const rows = {};
  for (const line of lines.slice(begin + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const list = (cell) => (cell === 'none' ? [] : cell.split(',').map((name) => name.trim()));
    const [name, callers, sources, database] = cells;
    rows[name.replaceAll('`', '')] = {
      callers: list(callers),
      sources: list(sources),
      database: database !== 'none',
    };
  }
  return rows;
}

/** Every connection that the table allows, as `from -> to:port`, sorted. */
export function edges(table) {
  const found = new Set();
  const add = (from, to, port) => found.add(`${from} -> ${to}:${port}`);
  for (const [service, { callers, sources, database }] of Object.entries(table)) {
    // The gateway calls the public methods of every service.
    for (const caller of ['gateway', ...callers]) add(caller, service, PORTS.grpc);
    // What NATS loses is read from the source.
    for (const source of sources) add(service, source, PORTS.grpc);
    if (WITH_HTTP.includes(service)) add('gateway', service, PORTS.https);
    if (database) {
      add(service, 'postgres', PORTS.postgres);
      add(`migrate-${service}`, 'postgres', PORTS.postgres);
      add(service, 'nats', PORTS.nats);
    }
    for (const port of OUTSIDE[service]?.ports ?? []) add(service, 'internet', port);
  }
  // A service that verifies people's tokens reads identity's keys over HTTP.
  for (const caller of table.identity?.callers ?? []) add(caller, 'identity', PORTS.https);
  return [...found].sort();
}
