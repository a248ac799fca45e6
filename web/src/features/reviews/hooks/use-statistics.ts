import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { connectGetKey } from '@/lib/connect-get';
import { REVIEWS, readStatistics } from '../api/reads';
import { useRefetchAtFocus } from './use-refetch-at-focus';

/** How many reviews there are and how they rate, counted by the server. */
export function useStatistics() {
  const transport = useTransport();
  const figures = useQuery({
    queryKey: connectGetKey(REVIEWS, 'GetStatistics'),
    queryFn: ({ signal }) => readStatistics({ transport, signal }),
    staleTime: 0,
  });
  useRefetchAtFocus(figures.refetch);
  return figures;
}
