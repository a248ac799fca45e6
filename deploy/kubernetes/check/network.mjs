/**
 * Writes the network policies from the table of ARCHITECTURE.md: those of the base, and those of
 * the stores for their clients.
 *
 * Usage: node deploy/kubernetes/check/network.mjs
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, visit } from 'yaml';
import { edges, OUTSIDE, readTable } from './reach.mjs';

const FOLDER = join(import.meta.dirname, '..');
const HEAD = `# Written by check/network.mjs from the table "Who may reach what" in ARCHITECTURE.md:
# change that table, not this file. Nothing may reach anything but what is listed here, in both
# directions.
`;
/** What is shorter than this stands on one line. */
const FLOW_CHARS = 84;
/**
 * Addresses that are not the internet's: a part that talks to third parties reaches none of ours
 * so.
 */
const PRIVATE = {
  '0.0.0.0/0': ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  '::/0': ['fc00::/7', 'fe80::/10'],
};

const labels = (name, component) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
});

function podsOf(part) {
  if (part === 'postgres')
    return { podSelector: { matchLabels: { 'cnpg.io/cluster': 'postgres' } } };
  if (part === 'nats') return { podSelector: { matchLabels: labels('nats', 'store') } };
  if (part.startsWith('migrate-')) {
    return { podSelector: { matchLabels: labels(part.slice('migrate-'.length), 'migration') } };
  }
  return { podSelector: { matchLabels: labels(part, 'service') } };
}

function peers(part) {
  if (part !== 'internet') return [podsOf(part)];
  return Object.entries(PRIVATE).map(([cidr, except]) => ({ ipBlock: { cidr, except } }));
}

const policy = (name, spec) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec,
});

const parse = (edge) => {
  const [, from, to, port] = /^(.+) -> (.+):(\d+)$/.exec(edge);
  return { from, to, port: Number(port) };
};

/** The peers of a rule: services are one selector, everything else has one of its own. */
function peersOf(parts) {
  const isService = (part) => part === 'gateway' || Object.hasOwn(readTable(), part);
  const names = parts.filter(isService);
  const services = {
    matchLabels: { 'app.kubernetes.io/component': 'service' },
    matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: names }],
  };
  const others = parts.filter((part) => !isService(part)).flatMap(peers);
  return names.length > 0 ? [{ podSelector: services }, ...others] : others;
}

/** Rules of one direction: one for each set of ports, with all parts that have it. */
function rules(list, own, other, key) {
  const portsOf = new Map();
  for (const edge of list.filter((it) => it[own.end] === own.part)) {
    portsOf.set(edge[other], [...(portsOf.get(edge[other]) ?? []), edge.port]);
  }
  const byPorts = new Map();
  for (const [part, ports] of portsOf) {
    byPorts.set(ports.join(), [...(byPorts.get(ports.join()) ?? []), part]);
  }
  return [...byPorts].map(([ports, parts]) => ({
    [key]: peersOf(parts),
    ports: ports.split(',').map((port) => ({ port: Number(port), protocol: 'TCP' })),
  }));
}

/** All policies of the base. */
export function policies(table) {
  const list = edges(table).map(parse);
  const parts = new Set(list.flatMap(({ from, to }) => [from, to]));
  for (const store of ['postgres', 'nats', 'internet']) parts.delete(store);
  const own = [...parts].sort().map((part) => {
    const ingress = rules(list, { end: 'to', part }, 'from', 'from');
    const egress = rules(list, { end: 'from', part }, 'to', 'to');
    const { podSelector } = podsOf(part);
    return policy(part, { podSelector, policyTypes: ['Ingress', 'Egress'], ingress, egress });
  });
  const everything = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
  const dns = {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
        ],
        ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })),
      },
    ],
  };
  return [policy('default-deny', everything), policy('dns', dns), ...own];
}

/** A document whose short lists and maps stand on one line. */
function compact(object) {
  const document = new Document(object, { aliasDuplicateObjects: false });
  const close = (_key, node) => {
    node.flow = JSON.stringify(node).length < FLOW_CHARS;
  };
  const quote = (_key, node) => {
    // An address such as ::/0 is not plain text to every parser.
    if (String(node.value).includes('::')) node.type = 'QUOTE_DOUBLE';
  };
  visit(document, { Map: close, Seq: close, Scalar: quote });
  return document.toString({ lineWidth: 0 });
}

/** The clients of a store: the other end of what the base's policies allow. */
function clients(store, table) {
  const list = edges(table).map(parse);
  const ingress = rules(list, { end: 'to', part: store }, 'from', 'from');
  const { podSelector } = podsOf(store);
  return policy(`${store}-clients`, { podSelector, policyTypes: ['Ingress'], ingress });
}

/** Each generated file with its text. */
export function files(table) {
  const ofStore = (store) => HEAD + compact(clients(store, table));
  return {
    [join(FOLDER, 'base/network.yaml')]: baseText(table),
    [join(FOLDER, 'components/nats/clients.yaml')]: ofStore('nats'),
    [join(FOLDER, 'components/postgres/clients.yaml')]: ofStore('postgres'),
  };
}

function baseText(table) {
  const why = Object.entries(OUTSIDE).map(([part, { why }]) => `#   ${part}: ${why}\n`);
  const outside = `# To the internet, and only there:\n${why.join('')}`;
  return HEAD + outside + policies(table).map(compact).join('---\n');
}

if (import.meta.filename === process.argv[1]) {
  for (const [file, text] of Object.entries(files(readTable()))) writeFileSync(file, text);
}
