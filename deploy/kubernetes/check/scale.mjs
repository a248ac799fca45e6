/**
 * The arithmetic of SCALE.md: what 1, 1,000 and 100,000 practices take, from the figures that
 * `make scale` has measured and from the assumptions that the page names. It writes the page's last
 * table; a test compares it.
 *
 * Usage: node deploy/kubernetes/check/scale.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILE = join(import.meta.dirname, '../SCALE.md');
/** What stands before this line is written by hand. */
const MARK = '<!-- Written by check/scale.mjs from here on. -->\n';
const PRACTICES = [1, 1_000, 100_000];
const MIB_PER_GIB = 1024;
const SERVICES = 7;

/** The numbers of a table's second column by the words of its first. */
function table(page, head) {
  const lines = page.split('\n');
  const begin = lines.findIndex((line) => line.startsWith(head));
  if (begin < 0) throw new Error(`SCALE.md has no table "${head}"`);
  const numbers = {};
  for (const line of lines.slice(begin + 2)) {
    if (!line.startsWith('|')) break;
    const [name, number] = line.split('|').slice(1, 3);
    numbers[name.trim()] = Number(number.trim().replaceAll(',', ''));
  }
  return numbers;
}

export const measured = (page) => table(page, '| Of one practice | Measured |');
export const assumed = (page) => table(page, '| Assumed | Number |');

/** A number that must be there. */
function number(numbers, name) {
  const found = numbers[name];
  if (!Number.isFinite(found)) throw new Error(`SCALE.md has no number "${name}"`);
  return found;
}

/** What so many practices take: each row's name with its number. */
export function taken(page, practices) {
  const [figure, given] = [measured(page), assumed(page)].map((all) => (name) => number(all, name));
  const replicas = given('processes of each service');
  const [pods, mib] = [
    SERVICES * replicas,
    figure('memory after load: gateway') + figure('memory after load: six services'),
  ];
  const bookings = given('bookings of a practice in a year');
  const busiest =
    (bookings / given('days on which a practice works')) *
    given('part of a day’s bookings in its busiest hour');
  // Milliseconds of a core in a second, at rest and in the busiest hour.
  const atRest = (part) => figure(`a practice at rest: ${part}`);
  const load = (part) =>
    (busiest / 3600) *
    (figure(`1,000 bookings, confirmed: ${part}`) +
      given('slot lists read for a booking') * figure(`1,000 slot lists: ${part}`));
  const ms = (part, copies) => atRest(part) * copies + load(part);
  const [own, postgres] = [ms('services', replicas), ms('PostgreSQL', replicas)];
  const connections = figure('connections to PostgreSQL, at rest') * replicas;
  const most = given('connections that a process may open') * 5 * replicas;
  const disk =
    figure('disk of a practice without bookings') +
    (figure(`disk of 100,000 bookings (from 400)`) / 100_000) *
      bookings *
      given('years of bookings');
  const perNode = {
    pods: Math.floor(given('pods of a node') / pods),
    memory: Math.floor((given('memory of a node, GiB') * MIB_PER_GIB) / (mib * replicas)),
    cores: Math.floor(
      (given('cores of a node') * 1000 * given('part of a core that is used')) / own,
    ),
  };
  const perCluster = {
    connections: Math.floor(given('connections of a PostgreSQL server') / connections),
    cores: Math.floor(
      (given('cores of a PostgreSQL server') * 1000 * given('part of a core that is used')) /
        postgres,
    ),
    disk: Math.floor((given('disk of a PostgreSQL server, GiB') * MIB_PER_GIB) / disk),
  };
  const least = (all) => Math.max(1, Math.min(...Object.values(all)));
  const gib = (each) => (each * practices) / MIB_PER_GIB;
  return {
    pods: pods * practices,
    'memory of the services, GiB': gib(mib * replicas),
    'cores of the services': (own * practices) / 1000,
    'practices of a node, by its pods': perNode.pods,
    'practices of a node, by its memory': perNode.memory,
    'practices of a node, by its cores': perNode.cores,
    nodes: Math.ceil(practices / least(perNode)),
    'connections to PostgreSQL, at rest': connections * practices,
    'connections to PostgreSQL, all pools full': most * practices,
    'cores of PostgreSQL': (postgres * practices) / 1000,
    'disk of PostgreSQL on one server, GiB': gib(disk),
    databases: 5 * practices,
    'practices of a PostgreSQL cluster, by connections': perCluster.connections,
    'practices of a PostgreSQL cluster, by cores': perCluster.cores,
    'practices of a PostgreSQL cluster, by disk': perCluster.disk,
    'PostgreSQL clusters of three servers': Math.ceil(practices / least(perCluster)),
    'streams of NATS': figure('streams') * practices,
    'durable consumers of NATS': figure('durable consumers') * practices,
    'NATS clusters': Math.ceil(
      (figure('streams') * practices) / given('streams of a NATS cluster'),
    ),
    'Kubernetes clusters, by pods': Math.ceil(
      (pods * practices) / given('pods of a Kubernetes cluster'),
    ),
  };
}

/** Three digits that count, with commas between thousands. */
function shown(value) {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The whole page, with its last table anew. */
export function text(page = readFileSync(FILE, 'utf8')) {
  const [byHand] = page.split(MARK);
  const all = PRACTICES.map((practices) => taken(byHand, practices));
  const head = ['Practices', ...PRACTICES.map(shown)];
  const rows = Object.keys(all[0]).map((name) => [name, ...all.map((one) => shown(one[name]))]);
  const lines = [head, ['---', ...PRACTICES.map(() => '---:')], ...rows];
  return `${byHand}${MARK}\n${lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(FILE, text());
