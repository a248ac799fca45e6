/**
 * Renews the committed advisories from the network: asks OSV, which holds RustSec's and GitHub's
 * databases, for every package that the locks have. This is the one part that needs the network.
 *
 * Usage: node tests/dependencies/renew.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCKS, lockedCrates, ROOT } from './check.mjs';
import { fileOf, read } from './data.mjs';
import { packagesOf } from './npm.mjs';
import { CRATES, crateAdvisory, npmAdvisory } from './osv.mjs';

const API = 'https://api.osv.dev/v1';
/** The most packages that one question may name. */
const NAMES_MAX = 500;

async function ask(path, body) {
  const options = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const answer = await fetch(`${API}/${path}`, options);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

/** Pairs of a package's name and the id of a record about it, page by page. */
async function recordsOf(ecosystem, names) {
  const records = [];
  let queries = names.map((name) => ({ package: { ecosystem, name } }));
  while (queries.length > 0) {
    const { results } = await ask('querybatch', { queries });
    const found = results.map(({ vulns = [] }, at) => {
      return vulns.map(({ id }) => ({ name: queries[at].package.name, id }));
    });
    records.push(...found.flat());
    queries = results.flatMap(({ next_page_token: token }, at) => {
      return token ? [{ ...queries[at], page_token: token }] : [];
    });
  }
  return records;
}

async function advisoriesOf(ecosystem, names, reader) {
  const found = [];
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    for (const { name, id } of await recordsOf(ecosystem, names.slice(at, at + NAMES_MAX))) {
      found.push(...reader(await ask(`vulns/${encodeURIComponent(id)}`), name));
    }
  }
  return found;
}

/** New data with the words of the old: what we wrote of an advisory, and what is accepted. */
export function merge(old, { names, advisories, taken }) {
  const words = new Map(old.advisories.map(({ id, about }) => [id, about]));
  const byId = (a, b) => `${a.package} ${a.id}`.localeCompare(`${b.package} ${b.id}`);
  const named = advisories.map((it) => ({ ...it, about: words.get(it.id) ?? it.about }));
  return { ...old, taken, lookedUp: [...new Set(names)].sort(), advisories: named.sort(byId) };
}

/** One advisory a line, so that a change is read as a change. */
export function render(data) {
  const { advisories, lookedUp, ...rest } = data;
  const lines = (values) => values.map((it) => `    ${JSON.stringify(it)}`).join(',\n');
  const head = Object.entries(rest).map(
    ([key, value]) => `  "${key}": ${JSON.stringify(value)},\n`,
  );
  const list = (name, values) => `  "${name}": [\n${lines(values)}\n  ]`;
  const lists = [list('lookedUp', lookedUp), list('advisories', advisories)];
  return `{\n${head.join('')}${lists.join(',\n')}\n}\n`;
}

async function renew(kind, ecosystem, names, reader) {
  const old = read(kind);
  const unique = [...new Set(names)];
  const taken = new Date().toISOString().slice(0, 10);
  const all = await advisoriesOf(ecosystem, unique, reader);
  const advisories = all.filter(({ date }) => !date || date >= old.since);
  writeFileSync(fileOf(kind), render(merge(old, { names: unique, advisories, taken })));
}

async function main() {
  const crates = lockedCrates(readFileSync(join(ROOT, 'Cargo.lock'), 'utf8'));
  const packages = packagesOf(LOCKS).map(({ name }) => name);
  await renew('crates', CRATES, crates, crateAdvisory);
  await renew('npm', 'npm', packages, npmAdvisory);
}

if (import.meta.filename === process.argv[1]) {
  main().catch((error) => {
    console.error(`The advisories cannot be renewed: ${error.message}`);
    process.exit(1);
  });
}
