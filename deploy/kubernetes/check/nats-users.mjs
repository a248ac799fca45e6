/**
 * Writes the users of NATS with their rights, from the table of ARCHITECTURE.md. The rights are
 * those of deploy/machine/src/nats/permissions.rs, whose subscriptions tests/tidy compares with the
 * same table.
 *
 * Usage: node deploy/kubernetes/check/nats-users.mjs   (writes the end of
 * components/nats/nats.conf)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTable } from './reach.mjs';

export const FILE = join(import.meta.dirname, '../components/nats/nats.conf');
/** What stands before this line is written by hand. */
const MARK = '# Written by check/nats-users.mjs from here on.\n';
const HEAD = `${MARK}# The table "Who may reach what" in ARCHITECTURE.md says it: each service
# publishes its own events, makes and updates its own stream, and reads those of the services whose
# events it takes in.
`;

function reading(service, source) {
  const stream = source.toUpperCase();
  const consumer = `${stream}.${service}-on-${source}`;
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    ...['INFO', 'CREATE', 'DELETE', 'MSG.NEXT'].map((it) => `$JS.API.CONSUMER.${it}.${consumer}`),
    `$JS.ACK.${consumer}.>`,
    // The form of later servers: domain and account come before the stream.
    `$JS.ACK.*.*.${consumer}.>`,
  ];
}

/** What a service may publish: its own events, and what it asks JetStream. */
export function published(service, sources) {
  const own = service.toUpperCase();
  // An update says on how many servers of a cluster the stream is.
  const asked = ['CREATE', 'INFO', 'UPDATE'].map((it) => `$JS.API.STREAM.${it}.${own}`);
  return [`events.${service}.>`, ...asked, ...sources.flatMap((it) => reading(service, it))];
}

/** The generated part. */
export function users(table) {
  const rows = Object.entries(table).filter(([, row]) => row.database);
  const lines = rows.sort().map(([service, { sources }]) => {
    const allowed = published(service, sources)
      .map((it) => `        "${it}"\n`)
      .join('');
    return `    { user: "${service}", password: $${service}_password, permissions: {
      publish: { allow: [\n${allowed}      ] }
      subscribe: { allow: ["_INBOX_${service}.>"] }
    } }\n`;
  });
  return `${HEAD}authorization {\n  users: [\n${lines.join('')}  ]\n}\n`;
}

/** The whole file, with the users anew. */
export function text(table) {
  const [byHand] = readFileSync(FILE, 'utf8').split(MARK);
  return byHand + users(table);
}

if (import.meta.filename === process.argv[1]) writeFileSync(FILE, text(readTable()));
