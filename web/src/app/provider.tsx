/** The providers that all pages need. */
import { TransportProvider } from '@connectrpc/connect-query';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { startAuth } from '@/lib/auth';
import { onPersonGone } from '@/lib/personal-state';
import { PracticeProvider } from '@/lib/practice';
import { createQueryClient, forgetPersonalReads } from '@/lib/query-client';
import type { Snapshot } from '@/lib/snapshot';
import { transport } from '@/lib/transport';

type AppProviderProps = { snapshot: Snapshot; children: ReactNode };

export function AppProvider({ snapshot, children }: AppProviderProps) {
  const [queryClient] = useState(createQueryClient);
  // Before the session is looked at, which may have ended.
  useEffect(() => onPersonGone(() => forgetPersonalReads(queryClient)), [queryClient]);
  useEffect(startAuth, []);
  return (
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queryClient}>
        <PracticeProvider snapshot={snapshot}>{children}</PracticeProvider>
      </QueryClientProvider>
    </TransportProvider>
  );
}
