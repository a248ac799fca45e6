/** The names of the desk's reads, and when they are read again. They go when the session ends. */
import type { Query } from '@tanstack/react-query';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';

export const DESK = 'desk';
/** Tasks are many calls: they are not read again with each act, and less often. */
export const TASKS = 'desk-tasks';

/** How often what is on the screen is read again, while the page is looked at. */
const READ_AGAIN_MS = 20_000;

/** Who was refused would only be refused again, or asked for the second step again and again. */
function isRefused({ state: { error } }: Pick<Query, 'state'>): boolean {
  if (!error) return false;
  const { code } = describeError(error);
  return code === CODE.PermissionDenied || code === CODE.Unauthenticated;
}

/** Reads that are shown as they are, and read again at once when a person looks. */
export const LIVE = {
  staleTime: 0,
  refetchInterval: (query: Pick<Query, 'state'>) => (isRefused(query) ? false : READ_AGAIN_MS),
  refetchOnWindowFocus: (query: Pick<Query, 'state'>) => (isRefused(query) ? false : 'always'),
} as const;

const TASKS_STALE_MS = 30_000;
const TASKS_AGAIN_MS = 180_000;

export const LESS_LIVE = {
  staleTime: TASKS_STALE_MS,
  refetchInterval: (query: Pick<Query, 'state'>) => (isRefused(query) ? false : TASKS_AGAIN_MS),
  refetchOnWindowFocus: (query: Pick<Query, 'state'>) => !isRefused(query),
} as const;
