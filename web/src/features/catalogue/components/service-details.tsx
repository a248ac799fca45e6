import type { ReactNode } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { CrisisNote } from '@/components/crisis-note';
import { FreeConsultation } from '@/components/free-consultation';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { usePractice } from '@/lib/practice';
import { bookingLink } from '../api/booking-links';
import { usePractitioner } from '../hooks/use-practitioner';
import { FeatureList } from './feature-list';
import { FreeTimesSection } from './free-times-section';
import { Paragraphs } from './paragraphs';
import { ServiceNotice } from './service-notice';

type ServiceProps = { service: Service };

function BackLink() {
  return (
    <AppLink
      to="/services"
      className="inline-flex min-h-11 items-center gap-2 self-start font-semibold text-brand hover:underline"
    >
      <span aria-hidden="true">←</span> Back to Services
    </AppLink>
  );
}

function SessionDetails({ service }: ServiceProps) {
  const { city, cancellationHours } = usePractice();
  const { chosen } = usePractitioner(service.practitioners);
  const rows = [
    { term: 'Duration', value: service.durationText },
    { term: 'Investment', value: formatPrice(service.price) },
    { term: 'Where', value: `Online, or in person in ${city}` },
    { term: 'Cancelling', value: `Free until ${cancellationHours} hours before` },
  ];
  return (
    <Card className="flex flex-col gap-6 rounded-panel">
      <h2 className="text-h3">Session details</h2>
      <dl className="flex flex-col">
        {rows.map(({ term, value }) => (
          <div
            key={term}
            className="flex justify-between gap-6 border-b border-hairline py-3 last:border-0"
          >
            <dt className="text-ink-2">{term}</dt>
            <dd className="text-right font-semibold numeric">{value}</dd>
          </div>
        ))}
      </dl>
      <Button href={bookingLink(service.serviceId, chosen)} block>
        {`Book & Pay Now - ${formatPrice(service.price)}`}
      </Button>
      <Button href="#times" variant="quiet" block className="-mt-3 max-lg:hidden">
        See free times
      </Button>
      <p className="text-sm text-ink-2">
        Next, choose a time. You won't be charged until you've reviewed everything.
      </p>
    </Card>
  );
}

/** On phones: the price and the way to the times, always in reach, never over the footer. */
function PhoneBar({ service }: ServiceProps) {
  return (
    <div
      data-bottom-bar
      className="sticky bottom-0 z-30 border-t border-hairline bg-surface lg:hidden"
    >
      <div className="container-page flex items-center justify-between gap-4 py-3">
        <p className="leading-tight numeric">
          <span className="block text-lg font-semibold">{formatPrice(service.price)}</span>
          <span className="text-sm text-ink-2">{service.durationText}</span>
        </p>
        <Button href="#times" size="sm">
          Choose a time
        </Button>
      </div>
    </div>
  );
}

type ServiceDetailsProps = ServiceProps & {
  /** The player, where the practice has a video of this service; else the drawn picture stays. */
  video?: ReactNode;
};

/** The service's own page. */
export function ServiceDetails({ service, video }: ServiceDetailsProps) {
  return (
    <div className="-mb-24 flex flex-col gap-24 lg:mb-0">
      <div className="container-page grid grid-cols-[minmax(0,1fr)] gap-12 pt-8 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-16">
        <div className="flex flex-col gap-12">
          <div className="flex flex-col gap-6">
            <BackLink />
            <PageHeading lead={service.description}>{service.title}</PageHeading>
            {video ?? (
              <ServiceArt
                seed={service.serviceId}
                accent={service.accent}
                className="aspect-[2/1] w-full rounded-panel"
              />
            )}
          </div>
          <div className="flex flex-col gap-6">
            <Paragraphs text={service.detailedDescription} />
            {service.crisisNote ? <CrisisNote className="measure text-sm text-ink-2" /> : null}
          </div>
          <section aria-labelledby="choices-title" className="flex flex-col gap-6">
            <h2 id="choices-title" className="text-h2">
              Healing Choices
            </h2>
            <FeatureList features={service.features} />
          </section>
          <ServiceNotice title="Important Service Notice" disclaimer={service.disclaimer} />
          <FreeTimesSection service={service} />
        </div>
        <aside className="flex flex-col gap-6 lg:sticky lg:top-28 lg:self-start lg:pt-17">
          <SessionDetails service={service} />
          <FreeConsultation />
        </aside>
      </div>
      <PhoneBar service={service} />
    </div>
  );
}
