import { Skeleton } from '@/components/ui/skeleton';

/** A resting shape while the code of the choice, and then the choice, is fetched. */
export function MailLoading() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading your choice…</span>
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
