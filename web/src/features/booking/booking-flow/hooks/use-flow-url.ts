/** The flow's place in the address, and how to move. */
import { useLayoutEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type UrlMoves, useUrlState } from '@/lib/use-url-state';
import { type FlowUrl, flowPath, parseFlowUrl, saysTooMuch } from '../flow-url';

export type FlowMoves = UrlMoves<FlowUrl>;

const FORM = { parse: parseFlowUrl, write: flowPath };

export function useFlowUrl(): FlowMoves {
  const { search } = useLocation();
  const navigate = useNavigate();
  const moves = useUrlState(FORM);

  useLayoutEffect(() => {
    if (!saysTooMuch(new URLSearchParams(search))) return;
    const path = flowPath(parseFlowUrl(new URLSearchParams(search)));
    void navigate(path, { replace: true, preventScrollReset: true });
  }, [search, navigate]);

  return moves;
}
