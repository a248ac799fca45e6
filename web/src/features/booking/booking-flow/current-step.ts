/** Which step is shown, from what the address asks for and what the server knows. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { stepOf } from '../shared/booking-state';
import type { StepId } from '../shared/steps';
import type { FlowUrl } from './flow-url';

type Known = { url: FlowUrl; signedIn: boolean; booking: Booking | undefined };

/** The step that the address means for a signed-in customer. */
export function requestedStep(url: FlowUrl): StepId {
  return url.step ?? (url.bookingId ? 'payment' : 'calendar-terms');
}

export function currentStep({ url, signedIn, booking }: Known): StepId {
  if (!signedIn) return 'auth';
  const asked = requestedStep(url);
  if (asked === 'auth' || asked === 'calendar-terms') return asked;
  if (!url.bookingId) return 'calendar-terms';
  return booking ? stepOf(booking, asked) : asked;
}

/** The step after signing in: past the first one, with every choice kept. */
export function afterSignIn(url: FlowUrl): FlowUrl {
  const asked = requestedStep(url);
  return { ...url, step: asked === 'auth' ? 'calendar-terms' : asked };
}
