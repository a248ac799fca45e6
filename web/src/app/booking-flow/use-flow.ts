/** The booking flow as a whole: who books what, how far it has come, and what follows from that. */
import { useEffect, useState } from 'react';
import { type ToastInput, toast } from '@/components/ui/toast-store';
import { currentStep, requestedStep } from '@/features/booking/booking-flow/current-step';
import { useFlowService } from '@/features/booking/booking-flow/hooks/use-flow-service';
import { useFlowUrl } from '@/features/booking/booking-flow/hooks/use-flow-url';
import type { StepId } from '@/features/booking/booking-flow/steps';
import { isOnWord, isPlaced } from '@/features/booking/shared/booking-state';
import { isFree } from '@/features/booking/shared/free-session';
import { useArrival } from '@/features/booking/shared/hooks/use-arrival';
import { useBooking } from '@/features/booking/shared/hooks/use-booking';
import { useDraft } from '@/features/booking/shared/hooks/use-draft';
import { useMailToast } from '@/features/booking/shared/hooks/use-mail-toast';
import { useCheckoutAnswer } from '@/features/payments/hooks/use-checkout-answer';
import { useAuth } from '@/lib/auth';
import { usePackage, usePracticeZone } from '@/lib/practice';
import { useLeaveWarning } from '@/lib/use-leave-warning';

const BOOKED = 'Your session is booked.';

/** A payment is called verified only if it was seen. */
function arrivalWords(unpaid: boolean): ToastInput {
  return unpaid ? { title: BOOKED } : { title: 'Payment Verified!', description: BOOKED };
}

export function useFlow() {
  const auth = useAuth();
  const moves = useFlowUrl();
  const zone = usePracticeZone();
  const { url, replace } = moves;
  /** A code is being redeemed, whose answer says what comes next. */
  const [redeeming, setRedeeming] = useState(false);
  const user = redeeming ? undefined : auth.user;
  const reading = useBooking(url.bookingId, user?.id);
  const { booking } = reading;
  const serviceId = url.serviceId || booking?.serviceId || '';
  const service = useFlowService(serviceId, url.bookingId !== '');
  const offer = usePackage(url.packageId);
  const draft = useDraft(user);
  const answer = useCheckoutAnswer(url.bookingId);
  // A note may speak of health, so it is in memory only.
  useLeaveWarning(draft.fields.values.notes.trim() !== '' && url.bookingId === '');

  const known = auth.status !== 'unknown';
  const step = currentStep({ url, signedIn: user !== undefined, booking });
  const arrived = step === 'confirmed' && requestedStep(url) !== 'confirmed' && isPlaced(booking);
  const unpaid = booking ? isOnWord(booking) || isFree(booking) : false;
  const paidHere = useArrival(url.bookingId, arrived, () => toast(arrivalWords(unpaid)));
  useMailToast(step === 'confirmed' ? booking : undefined, paidHere);

  // The address says what is shown. A visitor keeps the step that signing in leads back to.
  const named: StepId | undefined = known && (user || !url.step) ? step : undefined;
  const settled = url.bookingId === '' || booking !== undefined;
  useEffect(() => {
    if (named && settled && url.step !== named) replace({ step: named });
  }, [named, settled, url.step, replace]);

  return {
    auth,
    user,
    moves,
    zone,
    reading,
    booking,
    service,
    offer,
    draft,
    answer,
    step,
    setRedeeming,
  };
}

export type Flow = ReturnType<typeof useFlow>;
