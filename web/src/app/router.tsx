/** Which page a path shows. */
import { Suspense } from 'react';
import { matchPath, Route, Routes } from 'react-router';
import { PageSkeleton } from '@/components/page-skeleton';
import { isReviewId, MISSING_DOCUMENT } from '@/features/reviews/review-id';
import { useHydrated } from '@/lib/use-hydrated';
import { LazyPageOutlet } from './lazy-page';
import { NOT_FOUND, PAGES, type PageEntry, type Params } from './pages';

export type PageMatch = { entry: PageEntry; params: Params };

/** The page of a path; unknown paths have the 404 page. */
export function matchPage(pathname: string): PageMatch {
  for (const entry of PAGES) {
    const match = matchPath(entry.path, pathname);
    if (match) return { entry, params: match.params };
  }
  return { entry: NOT_FOUND, params: {} };
}

/**
 * Names the HTML that a path is served with. A document whose name differs from that of its address
 * (the 404 page under the address of an unknown service) is not hydrated but rendered anew.
 */
export function documentName({ entry, params }: PageMatch): string {
  const { reviewId } = params;
  if (reviewId !== undefined && !isReviewId(reviewId)) return MISSING_DOCUMENT;
  return params.serviceId ? `service/${params.serviceId}` : entry.page.name;
}

function PageOutlet({ entry }: { entry: PageEntry }) {
  const hydrated = useHydrated();
  if (entry.personal && !hydrated) return <PageSkeleton />;
  return <LazyPageOutlet page={entry.page} />;
}

export function AppRoutes() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Routes>
        {[...PAGES, NOT_FOUND].map((entry) => (
          <Route key={entry.path} path={entry.path} element={<PageOutlet entry={entry} />} />
        ))}
      </Routes>
    </Suspense>
  );
}
