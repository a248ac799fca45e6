/** The table is read as it is written, and what is generated of it follows it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { published } from './nats-users.mjs';
import { files } from './network.mjs';
import { edges, readTable } from './reach.mjs';

const PAGE = `text
| Service | Called by services | Takes in the events of | Database |
| --- | --- | --- | --- |
| \`booking\` | payments | payments | own |
| \`catalogue\` | booking | none | none |
| \`payments\` | booking | booking | own |

| other | table |
`;

it('reads the rows of the table and nothing else', () => {
  const table = readTable(PAGE);
  assert.deepEqual(Object.keys(table), ['booking', 'catalogue', 'payments']);
  assert.deepEqual(table.catalogue, { callers: ['booking'], sources: [], database: false });
  assert.throws(() => readTable('no table'), /no table/);
});

it('derives the connections of each row', () => {
  const found = edges(readTable(PAGE));
  for (const edge of [
    'gateway -> catalogue:9000',
    'booking -> catalogue:9000',
    'booking -> nats:4222',
    'migrate-payments -> postgres:5432',
    'payments -> internet:443',
    'gateway -> payments:9001',
  ]) {
    assert.ok(found.includes(edge), edge);
  }
  for (const edge of [
    'payments -> catalogue:9000',
    'catalogue -> postgres:5432',
    'catalogue -> nats:4222',
    'gateway -> booking:9001',
  ]) {
    assert.ok(!found.includes(edge), edge);
  }
});

it('a caller more in the table is one more in the policies', () => {
  const text = (page) => Object.values(files(readTable(page))).join('');
  const more = PAGE.replace('| `catalogue` | booking |', '| `catalogue` | booking, payments |');
  assert.notEqual(text(PAGE), text(more));
});

it('a service publishes its own events and reads those of its sources only', () => {
  const rights = published('payments', ['booking']);
  assert.ok(rights.includes('events.payments.>'));
  assert.ok(rights.includes('$JS.API.STREAM.UPDATE.PAYMENTS'));
  assert.ok(rights.includes('$JS.API.CONSUMER.MSG.NEXT.BOOKING.payments-on-booking'));
  assert.ok(!rights.some((it) => it.includes('NOTIFICATIONS') || it.startsWith('events.booking')));
});
