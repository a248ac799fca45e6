import { type FormEvent, type ReactNode, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { chosenPractitioner, PractitionerChoice } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import { Skeleton } from '@/components/ui/skeleton';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { errorReason } from '@/lib/errors';
import { importWithRetry } from '@/lib/import-with-retry';
import { formatPrice } from '@/lib/money';
import { usePackagesFor, usePracticeZone } from '@/lib/practice';
import { formatTime, toDate, type Zone } from '@/lib/time';
import { lazyLoader } from '@/lib/use-lazy-module';
import { isLive, ownStarts } from '../../shared/booking-state';
import { AgreementBox } from '../../shared/components/agreement-box';
import { LateNotice } from '../../shared/components/late-notice';
import { ModeChoice } from '../../shared/components/mode-choice';
import { SessionCalendar } from '../../shared/components/session-calendar';
import { isFree, priceWords } from '../../shared/free-session';
import type { BookingDraft } from '../../shared/hooks/use-draft';
import { type LateTime, useLateTime } from '../../shared/hooks/use-late';
import { chosenStarts, startsOfPackage } from '../../shared/package-dates';
import type { RefusedTimes } from '../../shared/refused-times';
import { offeredStart } from '../../shared/waiting-offer';
import type { FlowMoves } from '../hooks/use-flow-url';
import { useScheduleForm } from '../hooks/use-schedule-form';
import { useWaitOffer } from '../hooks/use-wait-offer';
import { PackageChoice } from './package-choice';
import { ReadySummary } from './ready-summary';
import { WaitOfferNotice } from './wait-offer-notice';
import { YourDetails } from './your-details';

/** The dates of a package are code of their own, which a single session does not load. */
const packageCalendar = lazyLoader(
  async () =>
    (await importWithRetry(() => import('../../shared/components/package-calendar')))
      .PackageCalendar,
);

type ScheduleStepProps = {
  service: Service;
  moves: FlowMoves;
  draft: BookingDraft;
  /** The booking that this tab holds already, if there is one. */
  held: Booking | undefined;
  /** It is not known yet whether there is one. */
  heldPending: boolean;
  /** Who books. */
  userId: string | undefined;
  onHeld: (booking: Booking) => void;
  onBack: () => void;
  /** Asks for the proof that the account's address is the client's; a form of its own. */
  proof: (onProved: () => void) => ReactNode;
};

function KeptNotice({ held, zone }: { held: Booking | undefined; zone: Zone }) {
  if (!held || !isLive(held) || !held.heldUntilAt) return null;
  const until = formatTime(toDate(held.heldUntilAt), zone);
  return (
    <Alert title={`Your time is kept until ${until}`}>
      Continue to payment, or pick another time.
      {held.checkoutOpened
        ? " You've already started paying for this one, so its details can't be changed."
        : ''}
    </Alert>
  );
}

type WhenProps = ScheduleStepProps & {
  practitionerId: string;
  /** The starts that the customer holds already. */
  own: readonly string[];
  late: LateTime | undefined;
  timeError?: string;
  /** The packages that are offered for the service, and the chosen one. */
  packages: readonly Package[];
  offer: Package | undefined;
  refused: RefusedTimes | undefined;
  onChoosePackage: (packageId: string) => void;
};

/** The calendar of a session, or of a package. */
function Calendar({ offer, ...props }: WhenProps) {
  const { service, moves, practitionerId, own, refused, late, timeError: error } = props;
  const whose = { serviceId: service.serviceId, practitionerId, own };
  const calendar = { ...whose, moves, refused, error, showOwnTime: !props.draft.inPerson };
  const notice = late ? <LateNotice late={late} told /> : null;
  if (!offer) return <SessionCalendar {...calendar}>{notice}</SessionCalendar>;
  return (
    <LazySection
      code={packageCalendar}
      resting={<Skeleton className="h-96 w-full rounded-card" />}
      missing="The dates could not be loaded"
    >
      {(PackageCalendar) => (
        <PackageCalendar {...calendar} offer={offer}>
          {notice}
        </PackageCalendar>
      )}
    </LazySection>
  );
}

function WhenCard(props: WhenProps) {
  const { service, moves, practitionerId, packages, offer, onChoosePackage } = props;
  return (
    <Card className="flex min-w-0 flex-col gap-5 max-sm:p-4">
      <h2 className="text-h3">When?</h2>
      <PractitionerChoice
        all={service.practitioners}
        chosen={practitionerId}
        // A time that was chosen may not be free with another practitioner.
        onChoose={(practitioner) => moves.replace({ practitioner, slot: '', slots: [] })}
      />
      <PackageChoice
        service={service}
        all={packages}
        chosen={offer?.packageId ?? ''}
        onChoose={onChoosePackage}
      />
      <Calendar {...props} />
    </Card>
  );
}

/** Another package, or none: a time that was chosen stays its first one. */
function choiceOf(packageId: string, { slot, slots }: FlowMoves['url']) {
  const first = slot || (chosenStarts(slots)[0] ?? '');
  return packageId
    ? { packageId, slot: '', slots: [first] }
    : { packageId, slot: first, slots: [] };
}

/** Why a time was not given; what is once for each client stays refused. */
function Refusal({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (errorReason(error) !== 'FREE_SESSION_USED') {
    return <ErrorNotice error={error} onRetry={onRetry} />;
  }
  return (
    <ErrorNotice
      error={error}
      title="You have had this session already"
      action={
        <Button to="/services" variant="secondary" size="sm">
          See all services
        </Button>
      }
    />
  );
}

/** Empty for what costs nothing. */
function readyPrice(service: Service, offer: Package | undefined): string {
  if (offer) return formatPrice(offer.price);
  return isFree(service) ? '' : priceWords(service);
}

/** The start that is held for the client, where it is one of this practitioner's, or anyone's. */
function offeredTo(practitionerId: string, offer: WaitingOffer | undefined): string[] {
  if (!offer || (practitionerId && practitionerId !== offer.practitionerId)) return [];
  return [offeredStart(offer)];
}

/** The package and its dates, or the time, that the address names; and what that costs in time. */
function useChosen(props: ScheduleStepProps) {
  const { service, moves, draft, heldPending, userId } = props;
  const { serviceId, practitioners } = service;
  const waitOffer = useWaitOffer(moves.url.offer, userId, draft);
  const practitionerId = chosenPractitioner(practitioners, moves.url.practitioner);
  const packages = usePackagesFor(serviceId);
  const offer = packages.find(({ packageId }) => packageId === moves.url.packageId);
  const zone = usePracticeZone();
  const { slot, slots } = moves.url;
  const named = offer ? slots : [slot];
  // Until the hold is known, no chosen time is taken for someone else's.
  const isUnknown = heldPending || waitOffer.isUnknown;
  const offered = offeredTo(practitionerId, waitOffer.offer);
  const held = ownStarts(props.held, serviceId, practitionerId);
  const own = isUnknown ? named : [...held, ...offered];
  const starts = offer ? startsOfPackage(slots, offer, zone) : named.filter((start) => start);
  const first = starts[0] && !isFree(service) ? new Date(starts[0]) : undefined;
  const late = useLateTime(
    first,
    draft.lateConsents,
    offer?.cancellationPolicy,
    offer !== undefined,
  );
  // What is held for the client is held with one practitioner, also where anyone will do.
  const isOffered = !offer && offered.includes(slot);
  const asked = (isOffered && waitOffer.offer?.practitionerId) || practitionerId;
  return { practitionerId, asked, packages, offer, zone, own, starts, late, waitOffer };
}

function StepButtons({ free, busy, onBack }: { free: boolean; busy: boolean; onBack: () => void }) {
  return (
    <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
      <Button variant="secondary" onClick={onBack}>
        Back
      </Button>
      <Button
        type="submit"
        busy={busy}
        busyText={free ? 'Booking your time…' : 'Keeping your time…'}
      >
        {free ? 'Book This Time' : 'Continue to Payment'}
      </Button>
    </div>
  );
}

/** "Book Your Session": when, how, who, and the agreement. */
export function ScheduleStep(props: ScheduleStepProps) {
  const { service, moves, draft, held, onHeld, onBack, proof } = props;
  const free = isFree(service);
  const chosen = useChosen(props);
  const { practitionerId, packages, offer, zone, own, starts, late } = chosen;
  const [refused, setRefused] = useState<RefusedTimes>();
  const onLost = (reason: string) => setRefused({ reason, starts });
  const what = { service, starts, offer, practitionerId: chosen.asked };
  const form = useScheduleForm({ ...what, draft, late, held, onHeld, onLost });

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void form.submit();
  }

  return (
    <>
      <form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-6">
        <ErrorSummary errors={draft.fields.errors} attempt={draft.fields.refusals} />
        <KeptNotice held={held} zone={zone} />
        {/* Once it is kept by a booking, the list has it no more. */}
        {isLive(held) ? null : <WaitOfferNotice {...chosen.waitOffer} />}
        <WhenCard
          {...props}
          practitionerId={practitionerId}
          own={own}
          late={late}
          timeError={form.timeError}
          packages={packages}
          offer={offer}
          refused={refused}
          onChoosePackage={(packageId) => {
            setRefused(undefined);
            moves.replace(choiceOf(packageId, moves.url));
          }}
        />
        <Card>
          <ModeChoice inPerson={draft.inPerson} onChange={draft.setInPerson} />
        </Card>
        <Card>
          <YourDetails fields={draft.fields} />
        </Card>
        <AgreementBox
          agreed={draft.agreed}
          onChange={draft.setAgreed}
          error={form.agreementError}
          free={free}
          policy={offer?.cancellationPolicy}
          late={late}
          lateError={form.lateError}
        />
        {starts.length > 0 && draft.agreed && (!late || late.agreed) ? (
          <ReadySummary
            title={offer ? `${offer.title}, ${service.title}` : service.title}
            price={readyPrice(service, offer)}
            starts={starts.map((start) => new Date(start))}
            zone={zone}
            inPerson={draft.inPerson}
          />
        ) : null}
        {form.error && !form.needsProof ? (
          <Refusal error={form.error} onRetry={() => void form.submit()} />
        ) : null}
        <StepButtons free={free} busy={form.isPending} onBack={onBack} />
      </form>
      {form.needsProof ? proof(() => void form.submit()) : null}
    </>
  );
}
