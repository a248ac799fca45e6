/** Which step is shown, from what the address asks for and what the server knows. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { isLive, isPlaced } from '../shared/booking-state';
import type { FlowUrl } from './flow-url';
import type { StepId } from './steps';

type Known = { url: FlowUrl; signedIn: boolean; booking: Booking | undefined };

/** The step that the address means for a signed-in customer. */
export function requestedStep(url: FlowUrl): StepId {
  return url.step ?? (url.bookingId ? 'payment' : 'calendar-terms');
}

/** The step that is shown of a booking when the address names this step. */
function stepOf(booking: Booking, asked: StepId): StepId {
  if (isPlaced(booking)) return 'confirmed';
  if (asked === 'confirmed') return isLive(booking) ? 'confirmation' : 'payment';
  return asked === 'confirmation' ? 'confirmation' : 'payment';
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
