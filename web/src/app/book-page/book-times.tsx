/** When what is chosen on /book can take place: one session, the dates of a package, or a widget. */
import type { ReactNode } from 'react';
import { LazySection } from '@/components/lazy-section';
import { chosenPractitioner, PractitionerChoice } from '@/components/practitioner-choice';
import { Skeleton } from '@/components/ui/skeleton';
import { type BookUrl, bookSlotPath } from '@/features/booking/book-page/book-url';
import type { RefusedTimes } from '@/features/booking/shared/refused-times';
import { FreeTimesSection } from '@/features/catalogue/components/free-times-section';
import { FreeTimesSkeleton } from '@/features/catalogue/components/free-times-skeleton';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { formatPrice } from '@/lib/money';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { UrlMoves } from '@/lib/use-url-state';

/** The dates of a package are code of their own, which a single session does not load. */
const packageTimes = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/booking/book-page/components/package-times')))
      .PackageTimes,
);

const schedulingFrame = lazyLoader(
  async () =>
    (
      await importWithRetry(
        () => import('@/features/booking/book-page/components/scheduling-frame'),
      )
    ).SchedulingFrame,
);

type BookTimesProps = {
  url: BookUrl;
  moves: UrlMoves<BookUrl>;
  service: Service;
  /** The dates of a package that a later step could not hold. */
  refused?: RefusedTimes | undefined;
  /** What stands between the heading and the times. */
  children: ReactNode;
};

function Section({ children }: { children: ReactNode }) {
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
      {children}
    </section>
  );
}

/** The dates of a package, which are chosen together. */
function PackageSection({
  offer,
  service,
  url,
  moves,
  refused,
  children,
}: BookTimesProps & { offer: Package }) {
  const practitionerId = chosenPractitioner(service.practitioners, url.practitioner);
  const { title, sessions, price, description } = offer;
  return (
    <Section>
      {children}
      <div className="flex flex-col gap-1">
        <p className="font-semibold numeric">
          {title}: {sessions} sessions for {formatPrice(price)}
        </p>
        <p className="measure text-ink-2">{description}</p>
      </div>
      <PractitionerChoice
        all={service.practitioners}
        chosen={practitionerId}
        // A time that was chosen may not be free with another practitioner.
        onChoose={(practitioner) => moves.replace({ practitioner, slots: [] })}
      />
      <LazySection
        code={packageTimes}
        resting={<FreeTimesSkeleton />}
        missing="The dates could not be loaded"
      >
        {(PackageTimes) => (
          <PackageTimes
            key={service.serviceId}
            offer={offer}
            serviceId={service.serviceId}
            practitionerId={practitionerId}
            moves={moves}
            refused={refused}
          />
        )}
      </LazySection>
    </Section>
  );
}

/** The scheduling provider's own widget, where the practice wants it. */
function WidgetSection({ service, moves, children }: BookTimesProps) {
  const { serviceId } = service;
  return (
    <Section>
      {children}
      <LazySection
        code={schedulingFrame}
        resting={<Skeleton className="h-[44rem] w-full rounded-card" />}
        missing="The calendar could not be loaded"
      >
        {(SchedulingFrame) => (
          <SchedulingFrame
            key={serviceId}
            service={service}
            onChosen={(slot) =>
              moves.push({ serviceId, slot, step: 'calendar-terms', cancelled: false })
            }
          />
        )}
      </LazySection>
    </Section>
  );
}

export function BookTimes(props: BookTimesProps & { offer: Package | undefined }) {
  const { offer, service, url, children } = props;
  if (offer) return <PackageSection {...props} offer={offer} />;
  const about = (
    <>
      {children}
      <p className="measure text-ink-2">{service.description}</p>
    </>
  );
  if (service.schedulingUrl) return <WidgetSection {...props}>{about}</WidgetSection>;
  return (
    <FreeTimesSection
      service={service}
      slotLink={(serviceId, startsAt, practitioner) =>
        bookSlotPath(serviceId, startsAt, practitioner, url.report)
      }
    >
      {about}
    </FreeTimesSection>
  );
}
