import type { FormEvent, ReactNode } from 'react';
import { chosenPractitioner, PractitionerChoice } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { errorReason } from '@/lib/errors';
import { formatPrice } from '@/lib/money';
import { usePackagesFor, usePracticeZone } from '@/lib/practice';
import { formatTime, toDate } from '@/lib/time';
import { instantsOf, isLive } from '../booking-state';
import { isFree, priceWords } from '../free-session';
import type { BookingDraft } from '../hooks/use-draft';
import type { FlowMoves } from '../hooks/use-flow-url';
import { type LateTime, useLateTime } from '../hooks/use-late';
import { type PackageDates as Dates, usePackageDates } from '../hooks/use-package-dates';
import { type Schedule, useSchedule } from '../hooks/use-schedule';
import { useScheduleForm } from '../hooks/use-schedule-form';
import { useTakeTime } from '../hooks/use-take-time';
import { chosenStarts } from '../package-dates';
import { AgreementBox } from './agreement-box';
import { ContactFields } from './contact-fields';
import { DayStrip } from './day-strip';
import { LateNotice } from './late-notice';
import { ModeChoice } from './mode-choice';
import { MonthPicker } from './month-picker';
import { NextAvailable } from './next-available';
import { PackageChoice } from './package-choice';
import { PackageDates } from './package-dates';
import { ReadySummary } from './ready-summary';
import { SlotTakenNotice } from './slot-taken-notice';
import { TimePicker } from './time-picker';

type ScheduleStepProps = {
  service: Service;
  moves: FlowMoves;
  draft: BookingDraft;
  /** The booking that this tab holds already, if there is one. */
  held: Booking | undefined;
  /** It is not known yet whether there is one. */
  heldPending: boolean;
  onHeld: (booking: Booking) => void;
  onBack: () => void;
  /** Asks for the proof that the account's address is the client's; a form of its own. */
  proof: (onProved: () => void) => ReactNode;
};

function KeptNotice({ held, schedule }: { held: Booking | undefined; schedule: Schedule }) {
  if (!held || !isLive(held) || !held.heldUntilAt) return null;
  const until = formatTime(toDate(held.heldUntilAt), schedule.zone);
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
  schedule: Schedule;
  own: string;
  late: LateTime | undefined;
  timeError?: string;
  /** The packages that are offered for the service, and the chosen one. */
  packages: readonly Package[];
  offer: Package | undefined;
  dates: Dates;
};

function WhenCard(props: WhenProps) {
  const { service, moves, draft, schedule, own, late, timeError, packages, offer, dates } = props;
  const { slot } = dates.inner.url;
  const take = useTakeTime(schedule, slot);
  return (
    <Card className="flex min-w-0 flex-col gap-5 max-sm:p-4">
      <h2 className="text-h3">When?</h2>
      <PractitionerChoice
        all={service.practitioners}
        chosen={schedule.whose.practitionerId ?? ''}
        // A time that was chosen may not be free with another practitioner.
        onChoose={(practitioner) => moves.replace({ practitioner, slot: '', slots: [] })}
      />
      <PackageChoice
        service={service}
        all={packages}
        chosen={offer?.packageId ?? ''}
        onChoose={(packageId) => moves.replace(choiceOf(packageId, moves.url))}
      />
      {offer ? <PackageDates offer={offer} dates={dates} zone={schedule.zone} /> : null}
      <SlotTakenNotice schedule={schedule} onTake={take} />
      {schedule.error && !schedule.days ? (
        <ErrorNotice error={schedule.error} onRetry={schedule.refetch} />
      ) : (
        <>
          <NextAvailable schedule={schedule} chosen={slot} onTake={take} />
          <DayStrip schedule={schedule} />
          <TimePicker
            schedule={schedule}
            chosen={slot}
            own={own}
            showOwnTime={!draft.inPerson}
            error={timeError}
          />
          {late ? <LateNotice late={late} told /> : null}
          <MonthPicker schedule={schedule} />
        </>
      )}
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

/** The start that the customer's own hold has, so that it is not taken for someone else's. */
function ownStart(
  held: Booking | undefined,
  { service, practitionerId, slot }: { service: Service; practitionerId: string; slot: string },
): string {
  if (!held || !isLive(held) || held.serviceId !== service.serviceId) return '';
  const isWanted = practitionerId === '' || held.practitionerId === practitionerId;
  if (!isWanted) return '';
  const instants = instantsOf(held);
  return instants.includes(slot) ? slot : (instants[0] ?? '');
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

/** The starts of a package, once all of them are chosen and fit together. */
function startsOfPackage({ places, problem }: Dates): string[] {
  return problem ? [] : chosenStarts(places);
}

/** Empty for what costs nothing. */
function readyPrice(service: Service, offer: Package | undefined): string {
  if (offer) return formatPrice(offer.price);
  return isFree(service) ? '' : priceWords(service);
}

/** "Book Your Session": when, how, who, and the agreement. */
export function ScheduleStep(props: ScheduleStepProps) {
  const { service, moves, draft, held, heldPending, onHeld, onBack, proof } = props;
  const free = isFree(service);
  const { serviceId, practitioners } = service;
  const practitionerId = chosenPractitioner(practitioners, moves.url.practitioner);
  const packages = usePackagesFor(serviceId);
  const offer = packages.find(({ packageId }) => packageId === moves.url.packageId);
  const zone = usePracticeZone();
  const dates = usePackageDates({ moves, offer, serviceId, practitionerId, zone });
  const { slot } = dates.inner.url;
  const own = heldPending ? slot : ownStart(held, { service, practitionerId, slot });
  const whose = { serviceId, practitionerId, own, keepsChoice: offer !== undefined };
  const schedule = useSchedule({ ...whose, moves: dates.inner });
  const starts = offer ? startsOfPackage(dates) : [slot].filter((start) => start !== '');
  const first = starts[0] && !free ? new Date(starts[0]) : undefined;
  const late = useLateTime(first, draft.lateConsents, offer?.noticeHours);
  const what = { service, starts, offer, dates, practitionerId };
  const asked = { ...what, draft, schedule, late, held, onHeld };
  const form = useScheduleForm(asked);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void form.submit();
  }

  return (
    <>
      <form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-6">
        <ErrorSummary errors={draft.fields.errors} attempt={draft.fields.refusals} />
        <KeptNotice held={held} schedule={schedule} />
        <WhenCard
          {...props}
          schedule={schedule}
          own={own}
          late={late}
          timeError={form.timeError}
          packages={packages}
          offer={offer}
          dates={dates}
        />
        <Card>
          <ModeChoice inPerson={draft.inPerson} onChange={draft.setInPerson} />
        </Card>
        <Card>
          <ContactFields fields={draft.fields} />
        </Card>
        <AgreementBox
          agreed={draft.agreed}
          onChange={draft.setAgreed}
          error={form.agreementError}
          free={free}
          late={late}
          lateError={form.lateError}
        />
        {starts.length > 0 && draft.agreed && (!late || late.agreed) ? (
          <ReadySummary
            title={offer ? `${offer.title}, ${service.title}` : service.title}
            price={readyPrice(service, offer)}
            starts={starts.map((start) => new Date(start))}
            zone={schedule.zone}
            inPerson={draft.inPerson}
          />
        ) : null}
        {form.error && !form.needsProof ? (
          <Refusal error={form.error} onRetry={() => void form.submit()} />
        ) : null}
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
          <Button variant="secondary" onClick={onBack}>
            Back
          </Button>
          <Button
            type="submit"
            busy={form.isPending}
            busyText={free ? 'Booking your time…' : 'Keeping your time…'}
          >
            {free ? 'Book This Time' : 'Continue to Payment'}
          </Button>
        </div>
      </form>
      {form.needsProof ? proof(() => void form.submit()) : null}
    </>
  );
}
