import { LazySection } from '@/components/lazy-section';
import { PractitionerChoice } from '@/components/practitioner-choice';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { usePractitioner } from '../hooks/use-practitioner';
import { FreeTimesSkeleton } from './free-times-skeleton';

const freeTimes = lazyLoader(
  async () => (await importWithRetry(() => import('./free-times'))).FreeTimes,
);

/** Free times with their heading; their code is loaded after the page is hydrated. */
export function FreeTimesSection({ service }: { service: Service }) {
  const { serviceId, practitioners } = service;
  const { chosen, choose } = usePractitioner(practitioners);
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
      <PractitionerChoice all={practitioners} chosen={chosen} onChoose={choose} />
      <LazySection
        code={freeTimes}
        resting={<FreeTimesSkeleton />}
        missing="The free times could not be loaded"
      >
        {(FreeTimes) => (
          <FreeTimes
            key={`${serviceId} ${chosen}`}
            serviceId={serviceId}
            {...(chosen && { practitionerId: chosen })}
          />
        )}
      </LazySection>
    </section>
  );
}
