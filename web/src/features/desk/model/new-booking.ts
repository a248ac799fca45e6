/** What a booking for a client on the phone asks for. The server checks the same and has the last word. */
import { emailError, lineError, phoneError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';

export type Caller = { firstName: string; lastName: string; email: string; phone: string };

export const NO_CALLER: Caller = { firstName: '', lastName: '', email: '', phone: '' };

const NAME_MAX = 80;

export function validateCaller(values: Caller): FieldErrors<Caller> {
  const found: FieldErrors<Caller> = {
    firstName: lineError(values.firstName, NAME_MAX, 'First name is required'),
    lastName: lineError(values.lastName, NAME_MAX, 'Last name is required'),
    email: emailError(values.email),
    phone: phoneError(values.phone),
  };
  const entries = Object.entries(found).filter(([, error]) => error);
  return Object.fromEntries(entries) as FieldErrors<Caller>;
}

/** How long the time is kept, in minutes, as the page offers it. */
export const HOLDS: readonly { minutes: number; label: string }[] = [
  { minutes: 60, label: '1 hour' },
  { minutes: 1440, label: '1 day' },
  { minutes: 4320, label: '3 days' },
];
