/**
 * Rows that never move under a finger: what came since they were shown is counted and waits, what is
 * shown stays in its place with its newest state, and what is gone says so.
 */
import type { ReadRow } from './day';

export type Steady = {
  rows: ReadRow[];
  /** How many rows are not shown yet. */
  added: number;
  /** How many are shown and are not there any more. */
  gone: number;
};

export function steadyRows(shown: readonly ReadRow[], latest: readonly ReadRow[]): Steady {
  const now = new Map(latest.map((row) => [row.key, row]));
  const known = new Set(shown.map(({ key }) => key));
  const rows = shown.map((row) => now.get(row.key) ?? { ...row, gone: true });
  return {
    rows,
    added: latest.filter(({ key }) => !known.has(key)).length,
    gone: rows.filter((row) => row.gone).length,
  };
}

/** "2 new", "1 gone", "1 new, 2 gone"; empty where nothing waits. */
export function newsWords({ added, gone }: Steady): string {
  const parts = [added > 0 ? `${added} new` : '', gone > 0 ? `${gone} gone` : ''];
  return parts.filter(Boolean).join(', ');
}
