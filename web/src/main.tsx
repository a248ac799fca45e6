/** Starts the app in the browser: hydrates prerendered HTML, or renders where there is none. */
import './styles.css';
import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app/app';
import { documentName, matchPage, type PageMatch } from './app/router';
import { readSnapshot } from './lib/snapshot';
import { wait } from './lib/wait';

/** How long to wait before each further attempt to load the page's code. */
const AGAIN_AFTER_MS = [500, 2000, 5000];

/**
 * Says whether the code came. A written page can be read and its links work without the code, so
 * further attempts are worth it.
 */
async function load({ entry }: PageMatch, written: boolean): Promise<boolean> {
  const pauses = written ? AGAIN_AFTER_MS : [];
  for (const pause of [...pauses, undefined]) {
    try {
      await (entry.page.failed ? entry.page.reload() : entry.page.preload());
      return true;
    } catch {
      if (pause !== undefined) await wait(pause);
    }
  }
  return false;
}

async function start(): Promise<void> {
  const container = document.getElementById('root');
  if (!container) throw new Error('The document has no root.');
  const match = matchPage(window.location.pathname);
  const written = container.dataset.document === documentName(match);
  const loaded = await load(match, written);
  const app = (
    <StrictMode>
      <BrowserRouter>
        <App snapshot={readSnapshot()} />
      </BrowserRouter>
    </StrictMode>
  );
  // Without its code, the app says so in the page's place and offers another attempt.
  if (!written || !loaded) createRoot(container).render(app);
  // In slices, so that scrolling and typing go on; what is pressed is hydrated first.
  else startTransition(() => void hydrateRoot(container, app));
}

void start();
