/** The flow's place in the address, and how to move: a step is a new entry, a choice is not. */
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type FlowUrl, flowPath, parseFlowUrl } from '../flow-url';

export type FlowMoves = {
  url: FlowUrl;
  /** A new entry in the history: the next step. */
  push: (patch: Partial<FlowUrl>) => void;
  /** The same entry with another choice. */
  replace: (patch: Partial<FlowUrl>) => void;
};

export function useFlowUrl(): FlowMoves {
  const { search } = useLocation();
  const navigate = useNavigate();
  const url = useMemo(() => parseFlowUrl(new URLSearchParams(search)), [search]);
  const latest = useRef(url);
  useLayoutEffect(() => {
    latest.current = url;
  }, [url]);
  const go = useCallback(
    (patch: Partial<FlowUrl>, replace: boolean) => {
      // Two moves in one moment must not undo each other.
      latest.current = { ...latest.current, ...patch };
      void navigate(flowPath(latest.current), { replace, preventScrollReset: true });
    },
    [navigate],
  );
  const push = useCallback((patch: Partial<FlowUrl>) => go(patch, false), [go]);
  const replace = useCallback((patch: Partial<FlowUrl>) => go(patch, true), [go]);
  return { url, push, replace };
}
