/** Sending the calendar step: it names what is missing, and a granted time leads to payment. */
import { useEffect, useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Package, Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { contactField } from '../../shared/contact-rules';
import { writeFlowKeys } from '../../shared/flow-keys';
import { priceWords } from '../../shared/free-session';
import type { BookingDraft } from '../../shared/hooks/use-draft';
import type { LateTime } from '../../shared/hooks/use-late';
import { keepsHold, useRequestBooking, type Wish } from '../../shared/hooks/use-request-booking';
import { askForTimes } from '../../shared/hooks/use-take-time';
import { askForTick, LATE_FIELD, LATE_TICK_MISSING, TICK_MISSING } from '../../shared/late-booking';
import { datesMissing } from '../../shared/package-dates';
import { isTimeGone } from '../../shared/refused-times';

const NO_AGREEMENT = 'Please agree to our simple terms to book your session.';

type Asked = {
  service: Service;
  /** The chosen starts, earliest first; of a package all or none. */
  starts: readonly string[];
  /** The chosen package. */
  offer: Package | undefined;
  /** The chosen practitioner; empty for anyone. */
  practitionerId: string;
  draft: BookingDraft;
  /** The chosen time starts inside the cancellation limit. */
  late: LateTime | undefined;
  /** The booking that this tab holds already. */
  held: Booking | undefined;
  onHeld: (booking: Booking) => void;
  /** The server refused the chosen times; their calendar says which of them are gone. */
  onLost: (reason: string) => void;
};

function missingTitle(offer: Package | undefined): string {
  return offer ? datesMissing(offer) : 'Please select a time';
}

/** Says what is missing; true when nothing is. */
function isComplete({ starts, offer, late, draft }: Asked): boolean {
  if (starts.length === 0) {
    askForTimes(missingTitle(offer));
    return false;
  }
  if (late && !late.agreed) {
    askForTick(LATE_FIELD, LATE_TICK_MISSING);
    return false;
  }
  if (!draft.agreed) {
    askForTick('agreement', NO_AGREEMENT);
    return false;
  }
  return draft.fields.check();
}

function wishOf({ service, starts, offer, practitionerId, draft }: Asked): Wish {
  const { serviceId } = service;
  const { fields, inPerson } = draft;
  const packageId = offer?.packageId ?? '';
  const contact = fields.values;
  return { serviceId, packageId, instants: starts, practitionerId, inPerson, contact };
}

type Missing = Record<'timeError' | 'agreementError' | 'lateError', string | undefined>;
const NOTHING_MISSING: Missing = {
  timeError: undefined,
  agreementError: undefined,
  lateError: undefined,
};

/** What is said beside the parts of the form that are not filled in. */
function missingIn({ starts, offer, draft, late }: Asked): Missing {
  return {
    timeError: starts.length === 0 ? missingTitle(offer) : undefined,
    agreementError: draft.agreed ? undefined : TICK_MISSING,
    lateError: late && !late.agreed ? TICK_MISSING : undefined,
  };
}

export function useScheduleForm(asked: Asked) {
  const { service, starts, practitionerId, draft, held, onHeld, onLost } = asked;
  const chosen = starts.join();
  const request = useRequestBooking();
  const [tried, setTried] = useState(false);
  const { fields } = draft;

  // A reason to try again is gone as soon as another time is chosen.
  const { reset } = request;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the choice changes.
  useEffect(() => reset(), [chosen, practitionerId, reset]);

  function refused(error: unknown): void {
    const problem = describeError(error);
    if (isTimeGone(problem.reason)) {
      request.reset();
      setTried(false);
      onLost(problem.reason);
      return;
    }
    if (problem.reason === 'TERMS_NOT_ACCEPTED') draft.setAgreed(false);
    const field = contactField(problem.field);
    if (field) {
      request.reset();
      fields.refuse({ [field]: problem.message });
    }
  }

  async function submit(): Promise<void> {
    if (request.isPending) return;
    setTried(true);
    if (!isComplete(asked)) return;
    const wish = wishOf(asked);
    writeFlowKeys(service, priceWords(service), starts[0]);
    if (held && keepsHold(held, wish)) {
      onHeld(held);
      return;
    }
    try {
      onHeld(await request.mutateAsync({ wish, held }));
    } catch (error) {
      refused(error);
    }
  }

  return {
    submit,
    isPending: request.isPending,
    error: request.error,
    /** The service asks first for a proof that the account's address is the client's. */
    needsProof: request.error !== null && errorReason(request.error) === 'ADDRESS_NOT_PROVED',
    ...(tried ? missingIn(asked) : NOTHING_MISSING),
  };
}
