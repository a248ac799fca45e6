/** A page's choices in its address, and how to change them: a step is a new entry, a choice is not. */
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useNavigate, useNavigationType } from 'react-router';

export type UrlMoves<Url> = {
  url: Url;
  /** A new entry in the history: the next step. */
  push: (patch: Partial<Url>) => void;
  /** The same entry with another choice. */
  replace: (patch: Partial<Url>) => void;
};

type Form<Url> = {
  parse: (query: URLSearchParams) => Url;
  /** The path with the query of these choices. */
  write: (url: Url) => string;
};

/**
 * The router reports a new address a moment later. A pressed chip must not wait for that, so a move
 * counts at once, and addresses that are older than the last move are ignored.
 */
export function useUrlState<Url>({ parse, write }: Form<Url>): UrlMoves<Url> {
  const location = useLocation();
  const navigationType = useNavigationType();
  const navigate = useNavigate();
  const [url, setUrl] = useState(() => parse(new URLSearchParams(location.search)));
  const latest = useRef(url);
  const awaited = useRef('');

  useLayoutEffect(() => {
    const address = parse(new URLSearchParams(location.search));
    const older = awaited.current !== '' && write(address) !== awaited.current;
    if (older && navigationType !== 'POP') return;
    awaited.current = '';
    // The address may say less than is known here.
    const same = write(latest.current) === write(address);
    if (!same) latest.current = address;
    setUrl((known) => (write(known) === write(address) ? known : address));
  }, [location, navigationType, parse, write]);

  const go = useCallback(
    (patch: Partial<Url>, replace: boolean) => {
      const next = { ...latest.current, ...patch };
      latest.current = next;
      awaited.current = write(next);
      setUrl(next);
      void navigate(awaited.current, { replace, preventScrollReset: true });
    },
    [navigate, write],
  );
  const push = useCallback((patch: Partial<Url>) => go(patch, false), [go]);
  const replace = useCallback((patch: Partial<Url>) => go(patch, true), [go]);
  return { url, push, replace };
}
