/** The first view of /book: what can be booked and when, and what else a visitor wants to know. */
import type { ReactNode } from 'react';
import { LazySection } from '@/components/lazy-section';
import { chosenPractitioner, PractitionerChoice } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { BookHero } from '@/features/book/components/book-hero';
import { CrisisSupport } from '@/features/book/components/crisis-support';
import { HowItWorks } from '@/features/book/components/how-it-works';
import { PaymentOptions } from '@/features/book/components/payment-options';
import { Questions } from '@/features/book/components/questions';
import { type Chosen, SessionChoice } from '@/features/book/components/session-choice';
import { type BookUrl, bookSlotPath } from '@/features/booking/book-url';
import type { RefusedTimes } from '@/features/booking/refused-times';
import { FreeTimesSection } from '@/features/catalogue/components/free-times-section';
import { FreeTimesSkeleton } from '@/features/catalogue/components/free-times-skeleton';
import { ServiceNotice } from '@/features/catalogue/components/service-notice';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { formatPrice } from '@/lib/money';
import { usePackage, usePackages, usePracticeZone, useServices } from '@/lib/practice';
import { formatDateTime } from '@/lib/time';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { UrlMoves } from '@/lib/use-url-state';

/** The dates of a package are code of their own, which a single session does not load. */
const packageTimes = lazyLoader(
  async () => (await importWithRetry(() => import('./package-times'))).PackageTimes,
);

type BookStartProps = {
  /** What the address asks for; nothing before hydration. */
  url: BookUrl;
  moves: UrlMoves<BookUrl>;
  /** What a later step led back with, and a time that this client holds already. */
  notice: ReactNode;
  /** The dates of a package that a later step could not hold. */
  refused?: RefusedTimes | undefined;
};

/** "Tuesday, 24 November 2026 at 11:00 am IST", "your dates", or empty where nothing is chosen. */
function useChosenWords(url: BookUrl): string {
  const zone = usePracticeZone();
  const offer = usePackage(url.packageId);
  if (!offer) return url.slot ? formatDateTime(new Date(url.slot), zone) : '';
  return url.slots.filter((slot) => slot).length === offer.sessions ? 'your dates' : '';
}

function CancelledNotice({ url, moves }: Pick<BookStartProps, 'url' | 'moves'>) {
  const chosen = useChosenWords(url);
  return (
    <Alert
      title="You left the sign-in"
      live
      action={
        chosen ? (
          <Button
            size="sm"
            variant="secondary"
            onClick={() => moves.push({ cancelled: false, step: 'auth', returned: true })}
          >
            Go on with {chosen}
          </Button>
        ) : undefined
      }
    >
      No time is held for you, and nothing was charged. You can sign in whenever you like.
    </Alert>
  );
}

/** What the address says that needs an answer. */
function Notices({ url, moves, notice }: BookStartProps) {
  const offered = useServices().some(({ serviceId }) => serviceId === url.serviceId);
  const offer = usePackage(url.packageId);
  return (
    <div className="flex flex-col gap-4 empty:hidden">
      {notice}
      {url.cancelled ? <CancelledNotice url={url} moves={moves} /> : null}
      {url.packageId && !offer ? (
        <Alert title="We don't offer this package">Please choose one of our sessions below.</Alert>
      ) : null}
      {url.serviceId && !offered ? (
        <Alert title="We don't offer this session">
          It may have another name now. Please choose one of our sessions below.
        </Alert>
      ) : null}
    </div>
  );
}

type PackageSectionProps = Omit<BookStartProps, 'notice'> & {
  offer: Package;
  service: Service;
  /** What stands between the heading and the dates. */
  children: ReactNode;
};

/** The dates of a package, which are chosen together. */
function PackageSection({ offer, service, url, moves, refused, children }: PackageSectionProps) {
  const practitionerId = chosenPractitioner(service.practitioners, url.practitioner);
  const { title, sessions, price, description } = offer;
  return (
    <section id="times" aria-labelledby="times-title" className="flex scroll-mt-24 flex-col gap-5">
      <h2 id="times-title" className="text-h2">
        Free times
      </h2>
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
    </section>
  );
}

function Calendar(props: BookStartProps) {
  const { url, moves } = props;
  const services = useServices();
  const packages = usePackages();
  const offer = usePackage(url.packageId);
  const all = offer
    ? services.filter(({ serviceId }) => offer.serviceIds.includes(serviceId))
    : services;
  const service = all.find(({ serviceId }) => serviceId === url.serviceId) ?? all[0];
  if (!service) return null;
  const choose = (chosen: Chosen) =>
    moves.replace({ ...chosen, date: '', slot: '', slots: [], cancelled: false });
  const choice = (
    <SessionChoice
      chosen={{ serviceId: service.serviceId, packageId: offer?.packageId ?? '' }}
      packages={packages}
      onChange={choose}
    />
  );
  return (
    <div className="container-page flex flex-col gap-6">
      <Notices {...props} />
      <div className="rounded-panel border border-hairline bg-surface p-5 shadow-soft sm:p-8">
        {offer ? (
          <PackageSection {...props} offer={offer} service={service}>
            {choice}
          </PackageSection>
        ) : (
          <FreeTimesSection
            service={service}
            slotLink={(serviceId, startsAt, practitioner) =>
              bookSlotPath(serviceId, startsAt, practitioner, url.report)
            }
          >
            {choice}
            <p className="measure text-ink-2">{service.description}</p>
          </FreeTimesSection>
        )}
        <div className="pt-6 empty:hidden">
          <ServiceNotice title="Important" disclaimer={service.disclaimer} />
        </div>
      </div>
    </div>
  );
}

export function BookStart(props: BookStartProps) {
  return (
    <div className="flex flex-col gap-14 lg:gap-20">
      <div className="flex flex-col gap-8">
        <BookHero />
        <Calendar {...props} />
      </div>
      <HowItWorks />
      <PaymentOptions />
      <CrisisSupport />
      <Questions />
    </div>
  );
}
