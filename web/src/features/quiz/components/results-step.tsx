import type { Ref } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { CrisisNote } from '@/components/crisis-note';
import { ServiceBadges } from '@/components/service-badges';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { QuizArea, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { bookLink, detailsLink } from '../quiz-links';
import { StepHeading } from './step-heading';

type ResultsStepProps = {
  /** What was chosen; the practice may no longer offer it. */
  area: QuizArea | undefined;
  /** Best first. */
  services: readonly Service[];
  headingRef: Ref<HTMLHeadingElement>;
};

type ResultProps = { service: Service; recommended: boolean };

function ResultLinks({ service, recommended }: ResultProps) {
  const of = <span className="sr-only">: {service.title}</span>;
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        to={bookLink(service.serviceId)}
        size="sm"
        variant={recommended ? 'primary' : 'secondary'}
      >
        <span>Book Now{of}</span>
      </Button>
      <Button to={detailsLink(service.serviceId)} size="sm" variant="quiet">
        <span>Learn More{of}</span>
      </Button>
    </div>
  );
}

function Result({ service, recommended }: ResultProps) {
  return (
    <li className="flex overflow-hidden rounded-card border border-hairline bg-surface shadow-soft max-sm:flex-col">
      <ServiceArt
        seed={service.serviceId}
        accent={service.accent}
        className="h-20 w-full shrink-0 sm:h-auto sm:w-40"
      />
      <div className="flex min-w-0 flex-1 flex-col gap-3 p-4 sm:p-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h4 className="font-display text-lg leading-snug font-semibold">{service.title}</h4>
          {recommended ? <Badge tone="ok">Recommended</Badge> : null}
        </div>
        <p className="text-sm text-ink-2">{service.description}</p>
        <ServiceBadges service={service} />
        <ResultLinks service={service} recommended={recommended} />
      </div>
    </li>
  );
}

function NothingLeft({ headingRef }: Pick<ResultsStepProps, 'headingRef'>) {
  return (
    <div className="flex flex-col items-start gap-4">
      <StepHeading step="results" ref={headingRef}>
        For this we have no session right now
      </StepHeading>
      <p className="text-ink-2">
        The practice has changed what it offers here. You can choose something else, or look at
        everything there is.
      </p>
      <Button to="/services">See all services</Button>
    </div>
  );
}

/** The services that fit the chosen area, with the note on help in a crisis. */
export function ResultsStep({ area, services, headingRef }: ResultsStepProps) {
  if (services.length === 0) return <NothingLeft headingRef={headingRef} />;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-2">
        <StepHeading step="results" ref={headingRef}>
          Where you could begin
        </StepHeading>
        <p className="text-ink-2">
          You chose <span className="font-semibold text-ink">{area?.title}</span>. These sessions
          are a good fit. You can't choose wrong.
        </p>
      </div>
      <ul className="flex flex-col gap-4">
        {services.map((service, index) => (
          <Result key={service.serviceId} service={service} recommended={index === 0} />
        ))}
      </ul>
      <CrisisNote />
    </div>
  );
}
