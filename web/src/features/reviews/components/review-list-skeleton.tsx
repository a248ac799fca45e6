import { Skeleton } from '@/components/ui/skeleton';
import { LOADING_REVIEWS } from '../review-messages';

const CARDS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Cards at rest, in the size that they will have. */
export function ReviewListSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-6">
      <p className="text-ink-2">{LOADING_REVIEWS}</p>
      <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {CARDS.map((key) => (
          <Skeleton key={key} className="h-80 rounded-panel" />
        ))}
      </div>
    </div>
  );
}
