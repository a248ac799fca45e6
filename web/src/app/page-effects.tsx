/** What happens around a change of page: title, scroll position, focus and announcement. */
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { crossesDocument } from '@/lib/documents';
import { useSnapshot } from '@/lib/practice';
import type { PageHead } from './page-heads';
import { matchPage } from './router';
import { useAdoptBookings } from './use-adopt-bookings';

/** "Services · Sukoon" */
function documentTitle(head: PageHead, practiceName: string): string {
  return `${head.title} · ${practiceName}`;
}

function focusPage(): void {
  const main = document.querySelector<HTMLElement>('main');
  const heading = main?.querySelector<HTMLElement>('h1[tabindex="-1"]');
  (heading ?? main)?.focus({ preventScroll: true });
}

export function PageEffects() {
  const { pathname, search, hash } = useLocation();
  const navigation = useNavigationType();
  const snapshot = useSnapshot();
  const loadedPath = useRef(pathname);
  const shownPath = useRef(pathname);
  const [news, setNews] = useState('');
  useAdoptBookings();

  useEffect(() => {
    // A path with its own content policy must not be shown by the document of another one.
    if (crossesDocument(loadedPath.current, pathname)) {
      window.location.replace(`${pathname}${search}${hash}`);
    }
  }, [pathname, search, hash]);

  // The written page is hydrated from now on; tests wait for this before they press anything.
  useEffect(() => {
    document.documentElement.dataset.app = 'started';
  }, []);

  useEffect(() => {
    const { entry, params } = matchPage(pathname);
    const head = entry.head(snapshot, params);
    document.title = documentTitle(head, snapshot.practice.name);
  }, [pathname, snapshot]);

  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    if (navigation !== 'POP') window.scrollTo({ top: 0, behavior: 'instant' });
    focusPage();
  }, [pathname, navigation]);

  // The title changes with the page, and again when a page learns what it shows. By then that has
  // taken the place of a skeleton, which had no heading to go to.
  useEffect(() => {
    let said = document.title;
    const watcher = new MutationObserver(() => {
      if (document.title === said) return;
      said = document.title;
      setNews(said);
      if (document.activeElement?.matches('main')) focusPage();
    });
    watcher.observe(document.head, { childList: true, subtree: true });
    return () => watcher.disconnect();
  }, []);

  // Screen readers say the title of a new document, but not that of a page which the router shows.
  return (
    <p aria-live="polite" className="sr-only" data-testid="page-news">
      {news}
    </p>
  );
}
