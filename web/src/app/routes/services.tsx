import { ServiceArt } from '@/components/art/service-art';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { ServiceCard } from '@/features/catalogue/components/service-card';
import { useService, useServices } from '@/lib/practice';

/** The service for clients who do not know yet which one they need. */
const FIRST_STEP = 'general-consultation';

export default function ServicesPage() {
  const services = useServices();
  const firstStep = useService(FIRST_STEP);
  return (
    <div className="container-page flex flex-col gap-12 py-12 lg:py-16">
      <PageHeading
        eyebrow="Our services"
        lead="Each session has a clear length and one price, and you see free times before you sign in. Open a card to read what happens in it."
      >
        Find what helps you today
      </PageHeading>
      <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {services.map((service) => (
          <li key={service.serviceId}>
            <ServiceCard service={service} />
          </li>
        ))}
        {firstStep ? (
          <li className="flex overflow-hidden rounded-panel bg-sunken lg:col-span-2">
            <div className="flex flex-1 flex-col items-start justify-center gap-4 p-8">
              <h2 className="text-h3">Not sure which one?</h2>
              <p className="text-ink-2">
                Begin with our {firstStep.title}. You leave it with an honest opinion on what would
                help you, even if that is something other than us.
              </p>
              <Button to={`/service/${firstStep.serviceId}`} variant="secondary">
                See the first step
              </Button>
            </div>
            <ServiceArt
              seed="relationship-counseling"
              accent="sun"
              className="w-2/5 max-lg:hidden"
            />
          </li>
        ) : null}
      </ul>
    </div>
  );
}
