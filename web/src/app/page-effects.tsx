/** What happens around a change of page: the title, the scroll position and the focus. */
import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { crossesDocument } from '@/lib/documents';
import { usePractice, useServices } from '@/lib/practice';
import type { PageHead } from './pages';
import { matchPage } from './router';

/** "Services · Sukoon" */
export function documentTitle(head: PageHead, practiceName: string): string {
  return `${head.title} · ${practiceName}`;
}

export function PageEffects() {
  const { pathname, search, hash } = useLocation();
  const navigation = useNavigationType();
  const practice = usePractice();
  const services = useServices();
  const loadedPath = useRef(pathname);
  const shownPath = useRef(pathname);

  useEffect(() => {
    // A path with its own content policy must not be shown by the document of another one.
    if (crossesDocument(loadedPath.current, pathname)) {
      window.location.replace(`${pathname}${search}${hash}`);
    }
  }, [pathname, search, hash]);

  useEffect(() => {
    const { entry, params } = matchPage(pathname);
    const head = entry.head({ practice, services, packages: [] }, params);
    document.title = documentTitle(head, practice.name);
  }, [pathname, practice, services]);

  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    if (navigation !== 'POP') window.scrollTo({ top: 0, behavior: 'instant' });
    const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]');
    (heading ?? document.querySelector<HTMLElement>('main'))?.focus({ preventScroll: true });
  }, [pathname, navigation]);

  return null;
}
