/** What the form asks for. The server checks the same and has the last word. */
import { readText } from '@/lib/typed';
import { emailError, lineError } from '@/lib/typed-errors';
import type { FieldErrors } from '@/lib/use-fields';

export type ContactValues = { name: string; email: string; message: string };

export const EMPTY_MESSAGE: ContactValues = { name: '', email: '', message: '' };

export const NAME_MAX = 120;
const MESSAGE_MAX = 5000;
/** From here on the form says how many are left. */
const COUNTER_FROM = 4500;

/** Characters as the server counts them. */
function lengthOf(text: string): number {
  return [...(readText(text, Number.POSITIVE_INFINITY).read ?? '')].length;
}

function messageError(message: string): string | undefined {
  const length = lengthOf(message);
  if (length === 0) return 'Message is required';
  const over = length - MESSAGE_MAX;
  return over > 0
    ? `Please shorten it by ${over} ${over === 1 ? 'character' : 'characters'}`
    : undefined;
}

export function validateMessage(values: ContactValues): FieldErrors<ContactValues> {
  const found: FieldErrors<ContactValues> = {
    name: lineError(values.name, NAME_MAX, 'Name is required'),
    email: emailError(values.email),
    message: messageError(values.message),
  };
  const entries = Object.entries(found).filter(([, error]) => error);
  return Object.fromEntries(entries) as FieldErrors<ContactValues>;
}

/** Whether something that was found wrong is a field with nothing in it. */
export function isIncomplete(values: ContactValues, errors: FieldErrors<ContactValues>): boolean {
  return CONTACT_FIELDS.some((field) => errors[field] && !values[field].trim());
}

/** The counter below the message near its limit, or nothing. */
export function lettersLeft(message: string): string | undefined {
  const length = lengthOf(message);
  if (length < COUNTER_FROM) return undefined;
  const left = MESSAGE_MAX - length;
  const many = Math.abs(left);
  return `${many} ${many === 1 ? 'character' : 'characters'} ${left < 0 ? 'too many' : 'left'}`;
}

const CONTACT_FIELDS: readonly (keyof ContactValues)[] = ['name', 'email', 'message'];

/** The input that an error's field path means, or nothing for other fields. */
export function contactField(path: string): keyof ContactValues | undefined {
  return CONTACT_FIELDS.find((field) => field === path);
}
