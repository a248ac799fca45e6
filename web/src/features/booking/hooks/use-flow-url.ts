/** The flow's place in the address, and how to move: a step is a new entry, a choice is not. */
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useNavigate, useNavigationType } from 'react-router';
import { type FlowUrl, flowPath, parseFlowUrl, saysTooMuch } from '../flow-url';

export type FlowMoves = {
  url: FlowUrl;
  /** A new entry in the history: the next step. */
  push: (patch: Partial<FlowUrl>) => void;
  /** The same entry with another choice. */
  replace: (patch: Partial<FlowUrl>) => void;
};

/**
 * The router reports a new address a moment later. A pressed chip must not wait for that, so a move
 * counts at once, and addresses that are older than the last move are ignored.
 */
export function useFlowUrl(): FlowMoves {
  const location = useLocation();
  const navigationType = useNavigationType();
  const navigate = useNavigate();
  const [url, setUrl] = useState(() => parseFlowUrl(new URLSearchParams(location.search)));
  const latest = useRef(url);
  const awaited = useRef('');

  useLayoutEffect(() => {
    const address = parseFlowUrl(new URLSearchParams(location.search));
    const older = awaited.current !== '' && flowPath(address) !== awaited.current;
    if (older && navigationType !== 'POP') return;
    awaited.current = '';
    // The address may say less than is known here.
    const same = flowPath(latest.current) === flowPath(address);
    if (!same) latest.current = address;
    setUrl((known) => (flowPath(known) === flowPath(address) ? known : address));
  }, [location, navigationType]);

  useLayoutEffect(() => {
    if (!saysTooMuch(new URLSearchParams(location.search))) return;
    const path = flowPath(parseFlowUrl(new URLSearchParams(location.search)));
    void navigate(path, { replace: true, preventScrollReset: true });
  }, [location.search, navigate]);

  const go = useCallback(
    (patch: Partial<FlowUrl>, replace: boolean) => {
      const next = { ...latest.current, ...patch };
      latest.current = next;
      awaited.current = flowPath(next);
      setUrl(next);
      void navigate(awaited.current, { replace, preventScrollReset: true });
    },
    [navigate],
  );
  const push = useCallback((patch: Partial<FlowUrl>) => go(patch, false), [go]);
  const replace = useCallback((patch: Partial<FlowUrl>) => go(patch, true), [go]);
  return { url, push, replace };
}
