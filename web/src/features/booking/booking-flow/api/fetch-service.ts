/** A service that is newer than the page. Loaded when one is asked for, which is seldom. */
import { createClient, type Transport } from '@connectrpc/connect';
import { CatalogueService, type Service } from '@/gen/catalogue/v1/catalogue_service_pb';

type Asked = { transport: Transport; signal: AbortSignal };

export async function fetchService(serviceId: string, asked: Asked): Promise<Service | null> {
  const client = createClient(CatalogueService, asked.transport);
  const { service } = await client.getService({ serviceId }, { signal: asked.signal });
  return service ?? null;
}
