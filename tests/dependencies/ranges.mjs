/** Versions (semver 2) and ranges of them, in the form of advisories: `>= 7.12.0, < 7.18.2`. */

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const BOUND = /^(>=|<=|>|<|=)\s*(\S+)$/;

/** The parts of a version; what is built of it (`+…`) does not order it. */
export function parseVersion(text) {
  const [, major, minor, patch, before] = VERSION.exec(text) ?? [];
  if (patch === undefined) throw new Error(`\`${text}\` is not a version`);
  return { numbers: [major, minor, patch].map(BigInt), before: before?.split('.') ?? [] };
}

const order = (a, b) => (a < b ? -1 : Number(a > b));

/** Identifiers of a pre-release: numbers are before words, and by value. */
function compareIdentifiers(a, b) {
  const [numberA, numberB] = [a, b].map((text) => /^\d+$/.test(text));
  if (numberA && numberB) return order(BigInt(a), BigInt(b));
  if (numberA !== numberB) return numberA ? -1 : 1;
  return order(a, b);
}

function compareBefore(a, b) {
  // A pre-release is before its release.
  if (a.length === 0 || b.length === 0) return order(b.length, a.length);
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const compared = compareIdentifiers(a[at], b[at]);
    if (compared !== 0) return compared;
  }
  return order(a.length, b.length);
}

/** Negative when `a` is before `b`, positive when after, otherwise 0. */
export function compare(a, b) {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  for (let at = 0; at < 3; at += 1) {
    const compared = order(left.numbers[at], right.numbers[at]);
    if (compared !== 0) return compared;
  }
  return compareBefore(left.before, right.before);
}

/** The bounds of a range; `*` has none. */
export function parseRange(text) {
  if (text.trim() === '*') return [];
  return text.split(',').map((part) => {
    const [, operator, version] = BOUND.exec(part.trim()) ?? [];
    if (!operator) throw new Error(`\`${text}\` is not a range`);
    parseVersion(version);
    return { operator, version };
  });
}

const HOLDS = {
  '>=': (compared) => compared >= 0,
  '<=': (compared) => compared <= 0,
  '>': (compared) => compared > 0,
  '<': (compared) => compared < 0,
  '=': (compared) => compared === 0,
};

/** Whether a version is in one of the ranges. */
export function isIn(version, ranges) {
  return ranges.some((range) =>
    parseRange(range).every((bound) => HOLDS[bound.operator](compare(version, bound.version))),
  );
}
