import { lazy, Suspense } from 'react';
import { useHydrated } from '@/lib/use-hydrated';
import { FreeTimesSkeleton } from './free-times-skeleton';

const FreeTimes = lazy(async () => ({ default: (await import('./free-times')).FreeTimes }));

/** Free times with their heading; the calls are loaded only after the page stands. */
export function FreeTimesSection({ serviceId }: { serviceId: string }) {
  const hydrated = useHydrated();
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
      {hydrated ? (
        <Suspense fallback={<FreeTimesSkeleton />}>
          <FreeTimes key={serviceId} serviceId={serviceId} />
        </Suspense>
      ) : (
        <FreeTimesSkeleton />
      )}
    </section>
  );
}
