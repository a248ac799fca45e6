import { Skeleton } from '@/components/ui/skeleton';
import { VisuallyHidden } from '@/components/ui/visually-hidden';

const DAYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const TIMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Seven days and a few times, in the size that they will have. */
export function FreeTimesSkeleton() {
  return (
    <div className="flex flex-col gap-5" aria-busy="true">
      <VisuallyHidden>Looking for free times…</VisuallyHidden>
      <div className="flex gap-2 overflow-hidden py-1">
        {DAYS.map((key) => (
          <Skeleton key={key} className="h-22 min-w-17 flex-1 rounded-card" />
        ))}
      </div>
      <Skeleton className="h-5 w-24" />
      <div className="flex flex-wrap gap-2">
        {TIMES.map((key) => (
          <Skeleton key={key} className="h-11 w-28 rounded-full" />
        ))}
      </div>
      <Skeleton className="h-11 w-full" />
      <Skeleton className="h-11 w-full" />
    </div>
  );
}
