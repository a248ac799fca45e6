/** What the contact form asks for. The server checks the same and has the last word. */
import { emailError, lineError, phoneError, textError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';
import type { ContactValues } from './draft';

const NAME_MAX = 80;
const NOTES_MAX = 2000;

export function validateContact(values: ContactValues): FieldErrors<ContactValues> {
  const found: FieldErrors<ContactValues> = {
    firstName: lineError(values.firstName, NAME_MAX, 'First name is required'),
    lastName: lineError(values.lastName, NAME_MAX, 'Last name is required'),
    email: emailError(values.email),
    phone: phoneError(values.phone),
    notes: textError(values.notes, NOTES_MAX),
  };
  const entries = Object.entries(found).filter(([, error]) => error);
  return Object.fromEntries(entries) as FieldErrors<ContactValues>;
}

const FIELDS: Record<string, keyof ContactValues> = {
  'contact.first_name': 'firstName',
  'contact.last_name': 'lastName',
  'contact.email': 'email',
  'contact.phone': 'phone',
  'contact.notes': 'notes',
};

/** The input that an error's field path means, or nothing for other fields. */
export function contactField(path: string): keyof ContactValues | undefined {
  const snake = path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return FIELDS[snake];
}
