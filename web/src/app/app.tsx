/** The whole page inside a router: shell, page and what goes wrong. */
import { ErrorBoundary } from '@/components/error-boundary';
import { Shell } from '@/components/shell';
import { AdminButton } from '@/features/moderation/components/admin-button';
import type { Snapshot } from '@/lib/snapshot';
import { PageEffects } from './page-effects';
import { AppProvider } from './provider';
import { AppRoutes } from './router';
import { SecondStepAgain } from './second-step-again';
import { linksAt } from './site-links';

export function App({ snapshot }: { snapshot: Snapshot }) {
  return (
    <AppProvider snapshot={snapshot}>
      <PageEffects />
      <ErrorBoundary>
        <Shell linksAt={linksAt} corner={<AdminButton />}>
          <AppRoutes />
        </Shell>
        <SecondStepAgain />
      </ErrorBoundary>
    </AppProvider>
  );
}
