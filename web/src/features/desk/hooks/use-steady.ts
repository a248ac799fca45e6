/** Keeps the shown rows in their places until the person asks for what is new. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ReadRow } from '../model/day';
import { newsWords, steadyRows } from '../model/steady';

type Shown = { place: string; rows: readonly ReadRow[] };

export type SteadyRows = {
  rows: readonly ReadRow[];
  /** "2 new"; empty where nothing waits. */
  news: string;
  /** Shows what is new. */
  show: () => void;
  /** Shows what the next reading brings: of an act of one's own. */
  showNext: () => void;
};

type Latest = {
  /** What the rows are of; another place shows its rows at once. */
  place: string;
  rows: readonly ReadRow[] | undefined;
  /** When they were read. */
  readAt: number;
};

const NEVER = Number.POSITIVE_INFINITY;

export function useSteady({ place, rows, readAt }: Latest): SteadyRows {
  const [shown, setShown] = useState<Shown>();
  /** What was read later than this is shown at once. */
  const [after, setAfter] = useState(NEVER);
  const at = useRef(readAt);
  at.current = readAt;

  if (rows && (shown?.place !== place || readAt > after)) {
    setShown({ place, rows });
    setAfter(NEVER);
  }

  const show = useCallback(() => setAfter(0), []);
  const showNext = useCallback(() => setAfter(at.current), []);

  // Nothing was under a finger while the page was not looked at.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') showNext();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [showNext]);

  if (!rows) return { rows: [], news: '', show, showNext };
  const steady = steadyRows(shown?.place === place ? shown.rows : rows, rows);
  return { rows: steady.rows, news: newsWords(steady), show, showNext };
}
