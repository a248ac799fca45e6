import type { ReactNode } from 'react';
import { LazySection } from '@/components/lazy-section';
import { PractitionerChoice } from '@/components/practitioner-choice';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { usePractitioner } from '../hooks/use-practitioner';
import type { SlotLink } from './free-times';
import { FreeTimesSkeleton } from './free-times-skeleton';

const freeTimes = lazyLoader(
  async () => (await importWithRetry(() => import('./free-times'))).FreeTimes,
);

type FreeTimesSectionProps = {
  service: Service;
  /** Where a chosen start leads; to the booking flow if nothing is given. */
  slotLink?: SlotLink;
  /** What stands between the heading and the times. */
  children?: ReactNode;
};

/** Free times with their heading; their code is loaded after the page is hydrated. */
export function FreeTimesSection({ service, slotLink, children }: FreeTimesSectionProps) {
  const { serviceId, practitioners } = service;
  const { chosen, choose } = usePractitioner(practitioners);
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
      {children}
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
            slotLink={slotLink}
            {...(chosen && { practitionerId: chosen })}
          />
        )}
      </LazySection>
    </section>
  );
}
