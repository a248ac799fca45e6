/** The service of the flow: from the page's own data, or asked for when it is newer than the page. */

import { Code } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { connectGetKey } from '@/lib/connect-get';
import { describeError } from '@/lib/errors';
import { importWithRetry } from '@/lib/import-with-retry';
import { useConsultation, useService } from '@/lib/practice';

const CATALOGUE = 'catalogue.v1.CatalogueService';

/** Answers that mean that there is no such service. */
const REFUSED = new Set([Code.NotFound, Code.InvalidArgument]);

export type FlowService =
  | { status: 'known'; service: Service }
  | { status: 'loading' }
  | { status: 'unknown' }
  | { status: 'failed'; error: unknown; retry: () => void };

export function useFlowService(serviceId: string, waiting: boolean): FlowService {
  const service = useService(serviceId);
  const consultation = useConsultation();
  const known = consultation?.serviceId === serviceId ? consultation : service;
  const transport = useTransport();
  const ask = serviceId !== '' && !known;
  const asked = useQuery({
    queryKey: connectGetKey(CATALOGUE, 'GetService', { serviceId }),
    queryFn: ask
      ? async ({ signal }) => {
          const { fetchService } = await importWithRetry(() => import('../api/fetch-service'));
          return fetchService(serviceId, { transport, signal });
        }
      : skipToken,
    staleTime: 300_000,
  });
  const found = known ?? asked.data ?? undefined;
  if (found) return { status: 'known', service: found };
  if (!serviceId) return { status: waiting ? 'loading' : 'unknown' };
  if (asked.isPending) return { status: 'loading' };
  if (!asked.error || REFUSED.has(describeError(asked.error).code)) return { status: 'unknown' };
  return { status: 'failed', error: asked.error, retry: () => void asked.refetch() };
}
