/** What a client waits for, read again at each look and by the clock. */
import { useTransport } from '@connectrpc/connect-query';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';

const READ_AGAIN_MS = 30_000;

type Known = Waiting[] | undefined;

export type OwnWaiting = {
  list: Known;
  error: unknown;
  refetch: () => void;
  /** Takes what a call has changed, until the list is read again. */
  change: (changed: (list: Waiting[]) => Waiting[]) => void;
};

/** Nothing is asked of a visitor. */
export function useOwnWaiting(userId: string | undefined): OwnWaiting {
  const transport = useTransport();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['own-waiting', userId],
    staleTime: 0,
    refetchInterval: READ_AGAIN_MS,
    queryFn: userId
      ? async ({ signal }) => {
          const { fetchOwnWaiting } = await importWithRetry(() => import('../fetch-own-waiting'));
          return fetchOwnWaiting(transport, { signal });
        }
      : skipToken,
  });
  const again = useCallback(() => void refetch(), [refetch]);
  const change: OwnWaiting['change'] = useCallback(
    (changed) => {
      const queryKey = ['own-waiting', userId];
      queries.setQueryData<Waiting[]>(queryKey, (known) => known && changed(known));
      void queries.invalidateQueries({ queryKey });
    },
    [queries, userId],
  );
  return { list: data, error, refetch: again, change };
}
