/** The first view of /book: what can be booked and when, and what else a visitor wants to know. */
import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { BookHero } from '@/features/book/components/book-hero';
import { CrisisSupport } from '@/features/book/components/crisis-support';
import { HowItWorks } from '@/features/book/components/how-it-works';
import { PackageNotice } from '@/features/book/components/package-notice';
import { PaymentOptions } from '@/features/book/components/payment-options';
import { Questions } from '@/features/book/components/questions';
import { SessionChoice } from '@/features/book/components/session-choice';
import { type BookUrl, bookSlotPath } from '@/features/booking/book-url';
import { packagePath } from '@/features/booking/package-path';
import { FreeTimesSection } from '@/features/catalogue/components/free-times-section';
import { ServiceNotice } from '@/features/catalogue/components/service-notice';
import { usePackage, usePracticeZone, useServices } from '@/lib/practice';
import { formatDateTime } from '@/lib/time';
import type { UrlMoves } from '@/lib/use-url-state';

type BookStartProps = {
  /** What the address asks for; nothing before hydration. */
  url: BookUrl;
  moves: UrlMoves<BookUrl>;
  /** What a later step led back with, and a time that this client holds already. */
  notice: ReactNode;
};

function CancelledNotice({ url, moves }: Pick<BookStartProps, 'url' | 'moves'>) {
  const zone = usePracticeZone();
  const { slot } = url;
  return (
    <Alert
      title="You left the sign-in"
      live
      action={
        slot ? (
          <Button
            size="sm"
            variant="secondary"
            onClick={() => moves.push({ cancelled: false, step: 'auth', returned: true })}
          >
            Go on with {formatDateTime(new Date(slot), zone)}
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
      {url.packageId ? (
        <PackageNotice offer={offer} serviceId={url.serviceId} datesLink={packagePath} />
      ) : null}
      {url.serviceId && !offered ? (
        <Alert title="We don't offer this session">
          It may have another name now. Please choose one of our sessions below.
        </Alert>
      ) : null}
    </div>
  );
}

function Calendar(props: BookStartProps) {
  const { url, moves } = props;
  const services = useServices();
  const service = services.find(({ serviceId }) => serviceId === url.serviceId) ?? services[0];
  if (!service) return null;
  return (
    <div className="container-page flex flex-col gap-6">
      <Notices {...props} />
      <div className="rounded-panel border border-hairline bg-surface p-5 shadow-soft sm:p-8">
        <FreeTimesSection
          service={service}
          slotLink={(serviceId, startsAt, practitioner) =>
            bookSlotPath(serviceId, startsAt, practitioner, url.report)
          }
        >
          <SessionChoice
            serviceId={service.serviceId}
            onChange={(serviceId) =>
              moves.replace({ serviceId, packageId: '', slot: '', cancelled: false })
            }
          />
          <p className="measure text-ink-2">{service.description}</p>
        </FreeTimesSection>
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
