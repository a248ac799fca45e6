import { Skeleton } from '@/components/ui/skeleton';
import { VisuallyHidden } from '@/components/ui/visually-hidden';

const STEPS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Shown in the guide's place until it is loaded. */
export function GuideSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-10">
      <VisuallyHidden>Loading the guide…</VisuallyHidden>
      <Skeleton className="h-40 w-full" />
      {STEPS.map((step) => (
        <div key={step} className="flex gap-5">
          <Skeleton className="size-11 shrink-0 rounded-full!" />
          <div className="flex flex-1 flex-col gap-4">
            <Skeleton className="h-8 w-1/2" />
            <Skeleton className="h-48 w-full" />
          </div>
        </div>
      ))}
    </div>
  );
}
