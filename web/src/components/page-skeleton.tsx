import { Skeleton } from '@/components/ui/skeleton';
import { VisuallyHidden } from '@/components/ui/visually-hidden';

/** Shown in a page's place until it is loaded. */
export function PageSkeleton() {
  return (
    <div className="container-page flex min-h-[70dvh] flex-col gap-6 py-12" aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      <Skeleton className="h-12 w-2/3 max-w-lg" />
      <Skeleton className="h-6 w-full max-w-2xl" />
      <Skeleton className="h-72 w-full" />
    </div>
  );
}
