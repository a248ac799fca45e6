/** Paying for a session inside the cancellation limit needs a consent, which is asked for once. */
import { useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { sessionTimes } from '../../shared/booking-state';
import { type LateConsents, type LateTime, useLateTime } from '../../shared/hooks/use-late';
import { askForTick, LATE_FIELD, LATE_TICK_MISSING, TICK_MISSING } from '../../shared/late-booking';

export type LatePayment = {
  late: LateTime | undefined;
  /** The consent was given before this page was opened. */
  told: boolean;
  error: string | undefined;
  /** Does what it is handed, unless the consent is missing: then it leads to the tick. */
  guard: (pay: () => void) => void;
};

export function useLatePayment(booking: Booking, consents: LateConsents): LatePayment {
  const { cancellationPolicy, package: booked } = booking;
  const startsAt = sessionTimes(booking)?.startsAt;
  const late = useLateTime(startsAt, consents, cancellationPolicy, booked !== undefined);
  const [askedHere, setAskedHere] = useState(false);
  const [tried, setTried] = useState(false);
  const missing = late !== undefined && !late.agreed;
  // The tick stays in sight of the person who has just set it.
  if (missing && !askedHere) setAskedHere(true);

  function guard(pay: () => void): void {
    if (!missing) {
      pay();
      return;
    }
    setTried(true);
    askForTick(LATE_FIELD, LATE_TICK_MISSING);
  }

  return { late, told: !askedHere, error: tried && missing ? TICK_MISSING : undefined, guard };
}
