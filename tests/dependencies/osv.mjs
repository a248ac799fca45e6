/** Reads records of OSV, the open form of vulnerability databases, as the facts that we commit. */
import { compare } from './ranges.mjs';

/** OSV's name of the packages of Rust. */
export const CRATES = ['crates', 'io'].join('.');

/** Ranges of the events of one package: introduced, then fixed or last affected, in order. */
export function rangesOf(events) {
  const ranges = [];
  let from;
  const end = (bound) => {
    const start = from === '0' || from === '0.0.0-0' ? '' : `>= ${from}, `;
    ranges.push(bound ? `${start}${bound}` : start.replace(/, $/, '') || '*');
    from = undefined;
  };
  for (const { introduced, fixed, last_affected: last } of events) {
    if (introduced !== undefined) from = introduced;
    else if (fixed !== undefined) end(`< ${fixed}`);
    else if (last !== undefined) end(`<= ${last}`);
  }
  if (from !== undefined) end();
  return ranges;
}

/** Versions that are not affected, as RustSec has them: before, between and after the events. */
export function patchedOf(events) {
  const introduced = events
    .map((it) => it.introduced)
    .filter((it) => it && !/^0(\.0\.0-0)?$/.test(it));
  const before = events[0]?.introduced;
  const unaffected = introduced.length > 0 && before === introduced[0] ? [`< ${before}`] : [];
  const fixes = events.flatMap(({ fixed }) => fixed ?? []);
  const patched = fixes.map((fixed) => {
    const next = introduced.find((version) => compare(version, fixed) > 0);
    return next ? `>= ${fixed}, < ${next}` : `>= ${fixed}`;
  });
  return { patched, unaffected };
}

function affectedOf(record, ecosystem, name) {
  return record.affected.filter((it) => {
    return it.package.ecosystem === ecosystem && it.package.name === name;
  });
}

/** What a record is about, in words of facts: kinds of weakness, never its sentences. */
function about(record, affected) {
  const categories = affected.flatMap((it) => it.database_specific?.categories ?? []);
  const weaknesses = record.database_specific?.cwe_ids ?? [];
  return [...new Set([...categories, ...weaknesses])].join(', ') || 'See the advisory';
}

/** An advisory of a crate; nothing when it was withdrawn or is not RustSec's. */
export function crateAdvisory(record, name) {
  if (record.withdrawn || !record.id.startsWith('RUSTSEC-')) return [];
  const affected = affectedOf(record, CRATES, name);
  const events = affected.flatMap((it) => it.ranges.flatMap((range) => range.events));
  const kind = affected.find((it) => it.database_specific?.informational)?.database_specific;
  return [
    {
      id: record.id,
      package: name,
      date: record.published.slice(0, 10),
      ...(kind ? { kind: kind.informational } : {}),
      ...patchedOf(events),
      about: about(record, affected),
    },
  ];
}

/** An advisory of an npm package; nothing when it was withdrawn. */
export function npmAdvisory(record, name) {
  if (record.withdrawn) return [];
  const affected = affectedOf(record, 'npm', name);
  const listed = affected.flatMap((it) => (it.ranges?.length ? [] : (it.versions ?? [])));
  const ranges = affected.flatMap((it) =>
    (it.ranges ?? []).flatMap(({ events }) => rangesOf(events)),
  );
  const all = [...ranges, ...listed.map((version) => `= ${version}`)];
  return [{ id: record.id, package: name, affected: all, about: about(record, affected) }];
}
