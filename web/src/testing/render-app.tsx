/** Renders a piece of the app with a practice, a router and answers that a test gives. */
import { createRouterTransport, type Transport } from '@connectrpc/connect';
import { TransportProvider } from '@connectrpc/connect-query';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type RenderResult, render } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { type InitialEntry, MemoryRouter } from 'react-router';
import { PracticeProvider } from '@/lib/practice';
import type { Snapshot } from '@/lib/snapshot';
import { practiceFixture } from './practice-fixture';

type Options = { path?: InitialEntry; transport?: Transport; snapshot?: Snapshot };

function inApp(children: ReactNode, options: Options): ReactElement {
  const transport = options.transport ?? createRouterTransport(() => {});
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return (
    <MemoryRouter initialEntries={[options.path ?? '/']}>
      <TransportProvider transport={transport}>
        <QueryClientProvider client={queryClient}>
          <PracticeProvider snapshot={options.snapshot ?? practiceFixture()}>
            {children}
          </PracticeProvider>
        </QueryClientProvider>
      </TransportProvider>
    </MemoryRouter>
  );
}

export function renderApp(children: ReactNode, options: Options = {}): RenderResult {
  return render(inApp(children, options));
}

/** The HTML that the prerender would write. */
export function writtenApp(children: ReactNode, options: Options = {}): string {
  return renderToString(inApp(children, options));
}
