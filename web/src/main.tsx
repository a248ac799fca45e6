/** Starts the app in the browser: hydrates prerendered HTML, or renders where there is none. */
import './styles.css';
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app/app';
import { documentName, matchPage } from './app/router';
import { readSnapshot } from './lib/snapshot';

async function start(): Promise<void> {
  const container = document.getElementById('root');
  if (!container) throw new Error('The document has no root.');
  const match = matchPage(window.location.pathname);
  await match.entry.page.preload();
  const app = (
    <StrictMode>
      <BrowserRouter>
        <App snapshot={readSnapshot()} />
      </BrowserRouter>
    </StrictMode>
  );
  if (container.dataset.document === documentName(match)) hydrateRoot(container, app);
  else createRoot(container).render(app);
}

void start();
