import { ServiceArt } from '@/components/art/service-art';
import { CrisisNote } from '@/components/crisis-note';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { bookLink } from '../api/booking-links';
import { FeatureList } from './feature-list';
import { Paragraphs } from './paragraphs';
import { ServiceNotice } from './service-notice';

type ServiceDialogProps = { service: Service; open: boolean; onClose: () => void };

function Facts({ service }: { service: Service }) {
  return (
    <dl className="grid grid-cols-2 gap-4 rounded-card bg-sunken p-4">
      <div>
        <dt className="text-sm text-ink-2">Duration</dt>
        <dd className="font-semibold numeric">{service.durationText}</dd>
      </div>
      <div>
        <dt className="text-sm text-ink-2">Price</dt>
        <dd className="font-semibold numeric">{formatPrice(service.price)}</dd>
      </div>
    </dl>
  );
}

/** A service in detail, without leaving the catalogue. */
export function ServiceDialog({ service, open, onClose }: ServiceDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={service.title}
      size="lg"
      actions={
        <>
          <Button href={bookLink(service.serviceId)} size="sm">
            Book Session
          </Button>
          <Button to={`/service/${service.serviceId}`} size="sm" variant="secondary">
            View Full Details
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        <ServiceArt
          seed={service.serviceId}
          accent={service.accent}
          className="h-40 w-full rounded-card sm:h-52"
        />
        <Facts service={service} />
        <Paragraphs text={service.detailedDescription} />
        {service.crisisNote ? <CrisisNote className="measure text-sm text-ink-2" /> : null}
        <section className="flex flex-col gap-4">
          <h3 className="text-h3">What's Included</h3>
          <FeatureList features={service.features} />
        </section>
        <ServiceNotice title="Important" disclaimer={service.disclaimer} />
      </div>
    </Dialog>
  );
}
