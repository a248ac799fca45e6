/** The whole page inside a router: shell, page and what goes wrong. */
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { ErrorBoundary } from '@/components/error-boundary';
import { Shell } from '@/components/shell';
import { AdminButton } from '@/features/moderation/components/admin-button';
import type { Snapshot } from '@/lib/snapshot';
import { PageEffects } from './page-effects';
import { AppProvider } from './provider';
import { AppRoutes, matchPage } from './router';
import { SecondStepAgain } from './second-step-again';
import { linksAt } from './site-links';

function Frame({ children }: { children: ReactNode }) {
  const bare = matchPage(useLocation().pathname).entry.bare === true;
  return (
    <Shell linksAt={linksAt} corner={<AdminButton />} bare={bare}>
      {children}
    </Shell>
  );
}

export function App({ snapshot }: { snapshot: Snapshot }) {
  return (
    <AppProvider snapshot={snapshot}>
      <PageEffects />
      <ErrorBoundary>
        <Frame>
          <AppRoutes />
        </Frame>
        <SecondStepAgain />
      </ErrorBoundary>
    </AppProvider>
  );
}
