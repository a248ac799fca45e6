/**
 * The guide's words: those that the document came with at once, and the catalogue's when the page
 * is idle; those of the catalogue alone where another document led here.
 */

import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { whenIdle } from '@/lib/idle';
import { importWithRetry } from '@/lib/import-with-retry';
import { useWrittenGuide } from '@/lib/practice';
import { useHydrated } from '@/lib/use-hydrated';

/** False until the page has nothing better to do. */
function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return idle;
}

export function useGuide() {
  const transport = useTransport();
  const written = useWrittenGuide();
  const hydrated = useHydrated();
  const idle = useIdle();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['meditation-guide'],
    queryFn: async ({ signal }) => {
      const { fetchGuide } = await importWithRetry(() => import('../api/fetch-guide'));
      return fetchGuide(transport, signal);
    },
    enabled: written ? idle : hydrated,
    refetchOnReconnect: true,
  });
  const guide = data ?? written;
  return {
    guide,
    /** Why there is no guide, once that is certain. */
    error: guide || isFetching ? null : error,
    retry: () => void refetch(),
  };
}
