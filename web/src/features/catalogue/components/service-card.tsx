import { useState } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { ServiceBadges } from '@/components/service-badges';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { ServiceDialog } from './service-dialog';

type ServiceCardProps = {
  service: Service;
  /** The level of the card's heading depends on the page. */
  level?: 'h2' | 'h3';
};

/** A service in short. The whole card is one button that opens the dialog. */
export function ServiceCard({ service, level: Heading = 'h2' }: ServiceCardProps) {
  const [open, setOpen] = useState(false);
  return (
    <article className="group relative flex h-full flex-col overflow-hidden rounded-panel border border-hairline bg-surface shadow-soft transition-shadow duration-200 hover:shadow-lift">
      <div className="overflow-hidden">
        <ServiceArt
          seed={service.serviceId}
          accent={service.accent}
          className="h-48 w-full transition-transform duration-500 ease-calm group-hover:scale-[1.03]"
        />
      </div>
      <div className="flex flex-1 flex-col gap-3 p-6">
        <Heading className="text-h3">
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => setOpen(true)}
            className="text-left after:absolute after:inset-0 after:rounded-panel focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-4 focus-visible:after:outline-focus"
          >
            {service.title}
          </button>
        </Heading>
        <p className="flex-1 text-ink-2">{service.description}</p>
        <ServiceBadges service={service} />
      </div>
      <ServiceDialog service={service} open={open} onClose={() => setOpen(false)} />
    </article>
  );
}
