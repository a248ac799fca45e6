import { Skeleton } from '@/components/ui/skeleton';

/** A resting shape while the code of the calendar, and then its address, is fetched. */
export function CalendarLoading() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading your calendar…</span>
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
