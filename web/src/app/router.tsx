/** Which page a path shows. */
import { Suspense, use } from 'react';
import { useLocation } from 'react-router';
import { PageBoundary } from '@/components/page-boundary';
import { PageSkeleton } from '@/components/page-skeleton';
import { isReviewId, MISSING_DOCUMENT } from '@/features/reviews/review-id';
import { useHydrated } from '@/lib/use-hydrated';
import type { Params } from './lazy-page';
import { NOT_FOUND, PAGES, type PageEntry } from './pages';

export type PageMatch = { entry: PageEntry; params: Params };

/**
 * The values of the open parts of a page's path, if the path matches. Paths are compared as texts,
 * as the gateway does: one with a capital or an encoded letter matches no page. React Router would
 * match both, and show a page over the document that says there is none.
 */
function paramsOf(pattern: string, path: string): Params | undefined {
  const names = pattern.split('/');
  const parts = path.split('/');
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':') && part) params[name.slice(1)] = part;
    else if (name !== part) return undefined;
  }
  return params;
}

/** The page of a path; unknown paths have the 404 page. */
export function matchPage(pathname: string): PageMatch {
  // With a slash behind it, the gateway sends a page's path on to the one without.
  const path = pathname.replace(/(.)\/$/, '$1');
  for (const entry of PAGES) {
    const params = paramsOf(entry.path, path);
    if (params) return { entry, params };
  }
  return { entry: NOT_FOUND, params: {} };
}

/** Paths that say nothing, or too much, for a file's name. */
const NAMED_BY_FILE = /^\/$|[*:]/;

/**
 * Names the HTML that a path is served with. A document whose name differs from that of its address
 * (the 404 page under the address of an unknown service) is not hydrated but rendered anew.
 */
export function documentName({ entry, params }: PageMatch): string {
  const { reviewId } = params;
  if (reviewId !== undefined && !isReviewId(reviewId)) return MISSING_DOCUMENT;
  if (params.serviceId) return `service/${params.serviceId}`;
  return NAMED_BY_FILE.test(entry.path) ? String(entry.page.file) : entry.path.slice(1);
}

function PageOutlet({ entry, params }: PageMatch) {
  const hydrated = useHydrated();
  if (entry.personal && !hydrated) return <PageSkeleton />;
  const { page } = entry;
  if (!page.loaded) use(page.preload());
  return page.loaded ? <page.loaded params={params} /> : null;
}

export function AppRoutes() {
  const { pathname } = useLocation();
  return (
    <PageBoundary place={pathname}>
      <Suspense fallback={<PageSkeleton />}>
        <PageOutlet {...matchPage(pathname)} />
      </Suspense>
    </PageBoundary>
  );
}
