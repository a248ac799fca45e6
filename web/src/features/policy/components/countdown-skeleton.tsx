import { Skeleton } from '@/components/ui/skeleton';

/** Shown in the countdown's place until the booking is known. */
export function CountdownSkeleton() {
  return (
    <div role="status" className="flex flex-col items-center gap-5">
      <span className="sr-only">Your booking is being looked up…</span>
      <Skeleton className="h-8 w-48" />
      <Skeleton className="aspect-square w-full max-w-52 rounded-full" />
      <Skeleton className="h-6 w-64 max-w-full" />
    </div>
  );
}
