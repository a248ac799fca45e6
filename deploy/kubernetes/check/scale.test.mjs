/** SCALE.md's arithmetic follows from what was measured and what is assumed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { FILE, measured, taken, text } from './scale.mjs';

const page = readFileSync(FILE, 'utf8');
const withNumber = (name, value) =>
  page.replace(
    new RegExp(`^(\\| ${name.replaceAll(/[()]/g, '\\$&')} \\| )[^|]+`, 'm'),
    `$1${value} `,
  );

it('the last table is what the others come to', () => {
  assert.equal(text(), page);
});

it('a number that was changed by hand is seen', () => {
  const other = page.replace(/\| nodes \| [^\n]+/, '| nodes | 1 | 1 | 1 |');
  assert.notEqual(other, page);
  assert.equal(text(other), page);
});

it('a practice of twice the memory needs twice the memory, and more of all else needs more', () => {
  const before = taken(page, 1000);
  const gateway = measured(page)['memory after load: gateway'];
  const others = measured(page)['memory after load: six services'];
  const larger = taken(withNumber('memory after load: gateway', gateway * 2 + others), 1000);
  const name = 'memory of the services, GiB';
  assert.ok(Math.abs(larger[name] - before[name] * 2) < 0.01);
  const rests = measured(page)['connections to PostgreSQL, at rest'];
  const busier = taken(withNumber('connections to PostgreSQL, at rest', rests * 3), 1000);
  assert.ok(
    busier['connections to PostgreSQL, at rest'] > before['connections to PostgreSQL, at rest'],
  );
});

it('a figure that is missing is named', () => {
  assert.throws(() => taken(page.replace(/^\| streams \|.*\n/m, ''), 1), /no number "streams"/);
});

it('the page says when, on what and of which commit it was measured', () => {
  assert.match(page, /^Measured on 20\d\d-\d\d-\d\d .*2 cores.*commit `[0-9a-f]{8,}`/m);
});
