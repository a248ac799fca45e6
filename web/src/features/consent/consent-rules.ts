/** What the declaration asks for. The server checks the same and has the last word. */
import { emailError, lineError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';

export type ConsentValues = { fullName: string; email: string; signature: string };

export const EMPTY_CONSENT: ConsentValues = { fullName: '', email: '', signature: '' };

const LINE_MAX = 160;

export function validateConsent(values: ConsentValues): FieldErrors<ConsentValues> {
  const found: FieldErrors<ConsentValues> = {
    fullName: lineError(values.fullName, LINE_MAX, 'Full name is required'),
    email: emailError(values.email),
    signature: lineError(values.signature, LINE_MAX, 'Signature is required'),
  };
  const entries = Object.entries(found).filter(([, error]) => error);
  return Object.fromEntries(entries) as FieldErrors<ConsentValues>;
}

/** What is still to be done before the consent can be given, in the order of the form. */
export function stillNeeded(values: ConsentValues, accepted: boolean): string[] {
  const needed = [
    values.fullName.trim() ? '' : 'full name',
    values.email.trim() ? '' : 'email',
    values.signature.trim() ? '' : 'signature',
    accepted ? '' : 'checkbox',
  ];
  return needed.filter(Boolean);
}

const FIELDS: Record<string, keyof ConsentValues> = {
  'consent.full_name': 'fullName',
  'consent.fullName': 'fullName',
  'consent.email': 'email',
  'consent.signature': 'signature',
};

/** The input that an error's field path means, or nothing for other fields. */
export function consentField(path: string): keyof ConsentValues | undefined {
  return FIELDS[path];
}

/** Whether an error is about the consent as a whole, which then has to be given anew. */
export function isAboutConsent(field: string): boolean {
  return field === 'consent' || field.startsWith('consent.');
}
