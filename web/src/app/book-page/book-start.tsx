/** The first view of /book: what can be booked and when, and what else a visitor wants to know. */
import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { BookUrl } from '@/features/booking/book-page/book-url';
import { BookHero } from '@/features/booking/book-page/components/book-hero';
import { CrisisSupport } from '@/features/booking/book-page/components/crisis-support';
import { HowItWorks } from '@/features/booking/book-page/components/how-it-works';
import { PaymentOptions } from '@/features/booking/book-page/components/payment-options';
import { Questions } from '@/features/booking/book-page/components/questions';
import { type Chosen, SessionChoice } from '@/features/booking/book-page/components/session-choice';
import type { RefusedTimes } from '@/features/booking/shared/refused-times';
import { ServiceNotice } from '@/features/catalogue/components/service-notice';
import { usePackage, usePackages, usePracticeZone, useServices } from '@/lib/practice';
import { formatDateTime } from '@/lib/time';
import type { UrlMoves } from '@/lib/use-url-state';
import { BookTimes } from './book-times';

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
        <BookTimes {...props} offer={offer} service={service}>
          {choice}
        </BookTimes>
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
