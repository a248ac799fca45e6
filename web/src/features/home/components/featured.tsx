import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useServices } from '@/lib/practice';

const FEATURED = ['mental-health', 'energy-healing', 'meditation'];

/** Three services to begin with. */
export function Featured({ card }: { card: (service: Service) => ReactNode }) {
  const services = useServices();
  const featured = FEATURED.flatMap((id) => services.find((one) => one.serviceId === id) ?? []);
  return (
    <section aria-labelledby="featured-title" className="container-page flex flex-col gap-8">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <div className="flex flex-col gap-2">
          <h2 id="featured-title" className="text-h2">
            Our Healing Services
          </h2>
          <p className="measure text-ink-2">
            A set length, one clear price. Tap a card to see what to expect.
          </p>
        </div>
        <Button to="/services" variant="secondary">
          View All Services
        </Button>
      </div>
      <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {featured.map((service) => (
          <li key={service.serviceId} className="sm:last:max-lg:col-span-2">
            {card(service)}
          </li>
        ))}
      </ul>
    </section>
  );
}
