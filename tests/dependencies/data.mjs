/** The committed advisories: what is known, of which packages it was looked up, and since when. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Days after which the data is called old. Old data is a warning: time alone breaks no build. */
export const DAYS_MAX = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The file of one kind of package: `crates` or `npm`. */
export const fileOf = (kind) => join(import.meta.dirname, 'advisories', `${kind}.json`);

/** What a file holds: `taken`, `since`, `lookedUp` and `advisories`. */
export const read = (kind) => JSON.parse(readFileSync(fileOf(kind), 'utf8'));

/** What to say of data that is old or does not know all of `names`. */
export function warnings({ taken, lookedUp }, names, now) {
  const days = Math.floor((now - Date.parse(taken)) / DAY_MS);
  const known = new Set(lookedUp);
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  const old = `the advisories are ${days} days old: renew them with \`make advisories\``;
  const left = `${unknown.length} of ${new Set(names).size} packages were not looked up`;
  return [...(days > DAYS_MAX ? [old] : []), ...(unknown.length > 0 ? [left] : [])];
}
