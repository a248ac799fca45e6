import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { VisuallyHidden } from '@/components/ui/visually-hidden';

/** Shown in a review's place until it is loaded. */
export function ReviewSkeleton() {
  return (
    <Card className="flex flex-col gap-6 rounded-panel sm:p-10" aria-busy="true">
      {/* It goes when the words come, so it is none that the focus is moved to. */}
      <h1 className="sr-only">Review</h1>
      <VisuallyHidden>Loading the review…</VisuallyHidden>
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-12 w-4/5" />
      <div className="flex flex-col gap-3">
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-full" />
        <Skeleton className="h-5 w-3/5" />
      </div>
      <Skeleton className="h-11 w-60" />
    </Card>
  );
}
