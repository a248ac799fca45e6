/** Renders one path of the app to HTML. */
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { App } from '@/app/app';
import { documentName, matchPage, type PageMatch } from '@/app/router';
import type { Snapshot } from '@/lib/snapshot';

export type RenderedPage = { match: PageMatch; documentName: string; html: string };

export async function renderPage(path: string, snapshot: Snapshot): Promise<RenderedPage> {
  const match = matchPage(path);
  await match.entry.page.preload();
  const html = renderToString(
    <StrictMode>
      <StaticRouter location={path}>
        <App snapshot={snapshot} />
      </StaticRouter>
    </StrictMode>,
  );
  return { match, documentName: documentName(match), html };
}
