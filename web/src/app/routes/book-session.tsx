/** /book-session: free times and the gate behind them, which leads into /book with the chosen time. */
import { useEffect } from 'react';
import { chosenPractitioner } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import {
  type BookUrl,
  bookSessionPath,
  bookSlotPath,
  NOTHING_CHOSEN,
  parseBookUrl,
} from '@/features/booking/book-page/book-url';
import { ChosenTime } from '@/features/booking/book-page/components/chosen-time';
import { SessionChoice } from '@/features/booking/book-page/components/session-choice';
import { FreeTimesSection } from '@/features/catalogue/components/free-times-section';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useAuth } from '@/lib/auth';
import { toInstant } from '@/lib/instant';
import { usePracticeZone, useServices } from '@/lib/practice';
import { useGo } from '@/lib/use-go';
import { useHydrated } from '@/lib/use-hydrated';
import { type UrlMoves, useUrlState } from '@/lib/use-url-state';

const FORM = { parse: parseBookUrl, write: bookSessionPath };

function accountPath(page: '/sign-in' | '/sign-up', url: BookUrl): string {
  return `${page}?return=${encodeURIComponent(bookSessionPath(url))}`;
}

type GateProps = { url: BookUrl; service: Service };

/** The sign-in gate: signing in leads back here, and on from here. */
function Gate({ url, service }: GateProps) {
  const zone = usePracticeZone();
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-h3">Sign In Required</h2>
      <ChosenTime
        service={service}
        at={new Date(url.slot)}
        zone={zone}
        practitionerId={chosenPractitioner(service.practitioners, url.practitioner)}
      />
      <p>
        You need an account, so that only you can see your bookings. It takes a minute and brings
        you back to this time.
      </p>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button to={accountPath('/sign-up', url)}>Create New Account</Button>
        <Button to={accountPath('/sign-in', url)} variant="secondary">
          Sign In
        </Button>
        <Button to={bookSessionPath({ ...NOTHING_CHOSEN, cancelled: true })} variant="quiet">
          Cancel
        </Button>
      </div>
    </Card>
  );
}

/** A signed-in client with a chosen time is led on into /book. */
function useLeadOn(url: BookUrl, service: Service | undefined): boolean {
  const { status } = useAuth();
  const go = useGo();
  const target =
    status === 'signed-in' && service && url.slot
      ? bookSlotPath(service.serviceId, new Date(url.slot), url.practitioner)
      : '';
  useEffect(() => {
    if (target) go(target, { replace: true });
  }, [target, go]);
  return target !== '';
}

type TimesProps = { service: Service; moves: UrlMoves<BookUrl> };

function Times({ service, moves }: TimesProps) {
  return (
    <div className="rounded-panel border border-hairline bg-surface p-5 shadow-soft sm:p-8">
      <FreeTimesSection
        service={service}
        slotLink={(serviceId, startsAt, practitioner = '') =>
          bookSessionPath({
            ...NOTHING_CHOSEN,
            serviceId,
            slot: toInstant(startsAt),
            practitioner,
          })
        }
      >
        <SessionChoice
          chosen={{ serviceId: service.serviceId, packageId: '' }}
          onChange={({ serviceId }) => moves.replace({ serviceId, slot: '', cancelled: false })}
        />
      </FreeTimesSection>
    </div>
  );
}

export default function BookSessionPage() {
  const hydrated = useHydrated();
  const moves = useUrlState(FORM);
  const services = useServices();
  const url = hydrated ? moves.url : NOTHING_CHOSEN;
  const asked = services.find(({ serviceId }) => serviceId === url.serviceId);
  const service = asked ?? services[0];
  const leading = useLeadOn(url, asked);
  const gate = url.slot && asked && !leading;
  return (
    <div className="container-page flex flex-col gap-8 py-8 sm:py-12">
      <PageHeading lead="Choose a time for your online session. You see what is free before you sign in.">
        Book a Session
      </PageHeading>
      {url.cancelled ? (
        <Alert title="You left the sign-in" live>
          No time is held for you, and nothing was charged. Choose a time whenever you like.
        </Alert>
      ) : null}
      {url.serviceId && !asked ? (
        <Alert title="We don't offer this session">
          It may have another name now. Please choose one of our sessions below.
        </Alert>
      ) : null}
      {gate ? <Gate url={url} service={asked} /> : null}
      {service ? <Times service={service} moves={moves} /> : null}
    </div>
  );
}
