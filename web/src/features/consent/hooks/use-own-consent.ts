/** The signed-in client's own consent: whether one is in force, its file, and its withdrawal. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ConsentService } from '@/gen/booking/v1/consent_service_pb';
import { randomKey } from '@/lib/random-key';

const KEY = 'own-consent';

export function useOwnConsent(userId: string | undefined) {
  const transport = useTransport();
  const client = useMemo(() => createClient(ConsentService, transport), [transport]);
  return useQuery({
    queryKey: [KEY, userId],
    enabled: userId !== undefined,
    queryFn: ({ signal }) => client.getConsent({}, { signal }),
  });
}

/** Reads it again, because a booking has brought one. */
export function useRefreshConsent(): () => void {
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries({ queryKey: [KEY] });
}

export function useConsentFile(consentId: string) {
  const transport = useTransport();
  return useMutation({
    mutationFn: () => createClient(ConsentService, transport).getConsentFile({ consentId }),
  });
}

export function useWithdrawConsent() {
  const transport = useTransport();
  const refresh = useRefreshConsent();
  // The same key for each try of one press of the button, and another one for the next.
  const key = useRef('');
  return useMutation({
    mutationFn: () => {
      key.current ||= randomKey();
      const request = { idempotencyKey: key.current };
      return createClient(ConsentService, transport).withdrawConsent(request);
    },
    onSuccess: () => {
      key.current = '';
      refresh();
    },
  });
}
