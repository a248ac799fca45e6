import { type Query, QueryClient } from '@tanstack/react-query';

/** Connect codes that a second try can change: unknown, deadline, exhausted, aborted, unavailable. */
const WORTH_RETRYING = new Set([2, 4, 8, 10, 14]);
const RETRIES_MAX = 2;

function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= RETRIES_MAX) return false;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'number' ? WORTH_RETRYING.has(code) : true;
}

/**
 * Reads that are of no account begin so: those that every visitor may make (`connectGetKey`), those
 * of a page that a link has opened, and the visit of the scheduling frame. All others are a person's.
 */
const OF_NO_ACCOUNT: readonly unknown[] = [
  ...['connect-query', 'meditation-guide', 'invitation', 'payment-page', 'page-link'],
  ...['page-receipts', 'session-page', 'scheduling-visit'],
];

/** Removes what was read for a person, and ends what is being read or sent for them. */
export function forgetPersonalReads(client: QueryClient): void {
  const predicate = ({ queryKey }: Query) => !OF_NO_ACCOUNT.includes(queryKey[0]);
  client.removeQueries({ predicate });
  client.getMutationCache().clear();
}

/** A client whose reads are tried again only where that can help, and whose writes never are. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: shouldRetry,
        retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4000),
        staleTime: 30_000,
        // Offline reads fail with words instead of waiting without any.
        networkMode: 'always',
        // In that mode nothing would come back by itself when the connection does.
        refetchOnReconnect: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
