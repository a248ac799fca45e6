/** Fetches what a snapshot holds from the running catalogue; loaded when the page is idle. */
import { createClient } from '@connectrpc/connect';
import { CatalogueService } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from './snapshot';
import { transport } from './transport';

const client = createClient(CatalogueService, transport);

export async function fetchSnapshot(): Promise<Snapshot | undefined> {
  const [{ practice }, { services, packages }] = await Promise.all([
    client.getPractice({}),
    client.listServices({}),
  ]);
  return practice && services.length > 0 ? { practice, services, packages } : undefined;
}
