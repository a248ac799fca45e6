/** An invitation as the holder of its key sees it, and the answer to it. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { OrganisationService } from '@/gen/booking/v1/organisation_service_pb';

function useOrganisationClient() {
  const transport = useTransport();
  return useMemo(() => createClient(OrganisationService, transport), [transport]);
}

export function useInvitation(key: string) {
  const client = useOrganisationClient();
  return useQuery({
    queryKey: ['invitation', key],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { invitation } = await client.getInvitation({ key }, { signal });
      if (!invitation) throw new Error('The answer holds no invitation.');
      return invitation;
    },
  });
}

/** Accepting and declining; the server answers a repeated press as the first one. */
export function useAnswer(key: string) {
  const client = useOrganisationClient();
  const queryClient = useQueryClient();
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: ['invitation', key] });
    void queryClient.invalidateQueries({ queryKey: ['memberships'] });
  };
  const accept = useMutation({
    mutationFn: () => client.acceptInvitation({ key }),
    onSuccess: refresh,
  });
  const decline = useMutation({
    mutationFn: () => client.declineInvitation({ key }),
    onSuccess: refresh,
  });
  return { accept, decline };
}
