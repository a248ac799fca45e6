/** The booking flow as a whole: who books what, how far it has come, and what follows from that. */
import { useEffect, useState } from 'react';
import { type ToastInput, toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Package } from '@/gen/catalogue/v1/catalogue_service_pb';
import { type AuthState, type AuthUser, useAuth } from '@/lib/auth';
import { usePackage, usePracticeZone } from '@/lib/practice';
import type { Zone } from '@/lib/time';
import { useLeaveWarning } from '@/lib/use-leave-warning';
import { isOnWord, isPlaced } from '../../shared/booking-state';
import { hasNotes } from '../../shared/draft';
import { isFree } from '../../shared/free-session';
import { useArrival } from '../../shared/hooks/use-arrival';
import { type BookingReading, useBooking } from '../../shared/hooks/use-booking';
import { type BookingDraft, useDraft } from '../../shared/hooks/use-draft';
import { useMailToast } from '../../shared/hooks/use-mail-toast';
import { currentStep, requestedStep } from '../current-step';
import type { StepId } from '../steps';
import { type FlowService, useFlowService } from './use-flow-service';
import { type FlowMoves, useFlowUrl } from './use-flow-url';

/** Bookings that this page has announced while it is loaded. */
const SAID = new Set<string>();

const BOOKED = 'Your session is booked.';

/** A payment is called verified only if it was seen. */
function arrivalWords(unpaid: boolean): ToastInput {
  return unpaid ? { title: BOOKED } : { title: 'Payment Verified!', description: BOOKED };
}

export type Flow = {
  auth: AuthState;
  /** Empty also while a code is being redeemed, whose answer says what comes next. */
  user: AuthUser | undefined;
  setRedeeming: (begun: boolean) => void;
  moves: FlowMoves;
  zone: Zone;
  reading: BookingReading;
  booking: Booking | undefined;
  service: FlowService;
  offer: Package | undefined;
  draft: BookingDraft;
  step: StepId;
};

export function useFlow(): Flow {
  const auth = useAuth();
  const moves = useFlowUrl();
  const zone = usePracticeZone();
  const { url, replace } = moves;
  const [redeeming, setRedeeming] = useState(false);
  const user = redeeming ? undefined : auth.user;
  const reading = useBooking(url.bookingId, user?.id);
  const { booking } = reading;
  const serviceId = url.serviceId || booking?.serviceId || '';
  const service = useFlowService(serviceId, url.bookingId !== '');
  const offer = usePackage(url.packageId);
  const draft = useDraft(user);
  // A note may speak of health, so it is in memory only.
  useLeaveWarning(hasNotes(draft.fields.values) && url.bookingId === '');

  const known = auth.status !== 'unknown';
  const step = currentStep({ url, signedIn: user !== undefined, booking });
  const arrived = step === 'confirmed' && requestedStep(url) !== 'confirmed' && isPlaced(booking);
  const unpaid = booking ? isOnWord(booking) || isFree(booking) : false;
  const paidHere = useArrival(url.bookingId, arrived, {
    said: SAID,
    cheer: () => toast(arrivalWords(unpaid)),
  });
  useMailToast(step === 'confirmed' ? booking : undefined, paidHere);

  // The address says what is shown. A visitor keeps the step that signing in leads back to.
  const named: StepId | undefined = known && (user || !url.step) ? step : undefined;
  const settled = url.bookingId === '' || booking !== undefined;
  useEffect(() => {
    if (named && settled && url.step !== named) replace({ step: named });
  }, [named, settled, url.step, replace]);

  return { auth, user, setRedeeming, moves, zone, reading, booking, service, offer, draft, step };
}
