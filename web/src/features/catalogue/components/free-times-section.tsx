import { LateSection } from '@/components/late-section';
import { importAgain } from '@/lib/import-again';
import { lateCode } from '@/lib/use-late';
import { FreeTimesSkeleton } from './free-times-skeleton';

const freeTimes = lateCode(async () => (await importAgain(() => import('./free-times'))).FreeTimes);

/** Free times with their heading; the calls are loaded only after the page stands. */
export function FreeTimesSection({ serviceId }: { serviceId: string }) {
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
      <LateSection
        code={freeTimes}
        resting={<FreeTimesSkeleton />}
        missing="The free times could not be loaded"
      >
        {(FreeTimes) => <FreeTimes key={serviceId} serviceId={serviceId} />}
      </LateSection>
    </section>
  );
}
