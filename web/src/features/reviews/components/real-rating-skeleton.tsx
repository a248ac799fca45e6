import { Skeleton } from '@/components/ui/skeleton';

/** The room of the real figures, so that nothing moves when they come. */
export function RealRatingSkeleton() {
  return <Skeleton className="h-74 w-full rounded-panel sm:h-47" />;
}
