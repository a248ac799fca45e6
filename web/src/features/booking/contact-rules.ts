/** What the contact form asks for. The server checks the same and has the last word. */
import type { FieldErrors } from '@/lib/use-fields';
import type { ContactValues } from './draft';

const NAME_MAX = 80;
const NOTES_MAX = 2000;
const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_MAX = 15;

function phoneError(phone: string): string | undefined {
  if (!phone.trim()) return undefined;
  const digits = phone.replace(/\D/g, '').length;
  const formed = /^\+?[\d\s().-]+$/.test(phone.trim());
  if (formed && digits >= PHONE_DIGITS_MIN && digits <= PHONE_DIGITS_MAX) return undefined;
  return 'Enter a phone number such as 98765 43210, or leave it empty';
}

function nameError(name: string, missing: string): string | undefined {
  if (!name.trim()) return missing;
  return name.trim().length > NAME_MAX ? `At most ${NAME_MAX} characters, please` : undefined;
}

function emailError(email: string): string | undefined {
  if (!email.trim()) return 'Email is required';
  return /^\S+@\S+$/.test(email.trim()) ? undefined : 'Invalid email address';
}

export function validateContact(values: ContactValues): FieldErrors<ContactValues> {
  const found: FieldErrors<ContactValues> = {
    firstName: nameError(values.firstName, 'First name is required'),
    lastName: nameError(values.lastName, 'Last name is required'),
    email: emailError(values.email),
    phone: phoneError(values.phone),
    notes: values.notes.length > NOTES_MAX ? `At most ${NOTES_MAX} characters, please` : undefined,
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
