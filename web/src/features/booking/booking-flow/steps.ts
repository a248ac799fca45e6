/** The five steps of the flow in their order. */
export const STEPS = [
  { id: 'auth', label: 'Sign In' },
  { id: 'calendar-terms', label: 'Schedule & Terms' },
  { id: 'payment', label: 'Payment' },
  { id: 'confirmation', label: 'Payment Verification' },
  { id: 'confirmed', label: 'Final Confirmation' },
] as const;

/** Those of a session that costs nothing. */
export const FREE_STEPS = STEPS.filter(({ id }) => id !== 'payment' && id !== 'confirmation');

export type StepId = (typeof STEPS)[number]['id'];

export function isStepId(value: unknown): value is StepId {
  return STEPS.some((step) => step.id === value);
}

/** The headings of the steps. */
export const STEP_TITLES: Record<StepId, string> = {
  auth: 'Sign In Required',
  'calendar-terms': 'Book Your Session',
  payment: 'Complete Your Payment',
  confirmation: 'Payment Verification',
  confirmed: 'Booking Confirmed!',
};
