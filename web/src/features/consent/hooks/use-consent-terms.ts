/** The terms of the consent as the practice shows them today. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { CatalogueService, type ConsentTerms } from '@/gen/catalogue/v1/catalogue_service_pb';
import { connectGetKey } from '@/lib/connect-get';

export function useConsentTerms() {
  const transport = useTransport();
  return useQuery({
    queryKey: connectGetKey('catalogue.v1.CatalogueService', 'GetConsentTerms'),
    queryFn: async ({ signal }): Promise<ConsentTerms> => {
      const client = createClient(CatalogueService, transport);
      const { terms } = await client.getConsentTerms({}, { signal });
      if (!terms) throw new Error('The answer holds no terms.');
      return terms;
    },
  });
}
