/** What the booking details of /book ask for: the contact form's rules, and a phone number. */
import type { FieldErrors } from '@/lib/use-fields';
import { validateContact } from './contact-rules';
import type { ContactValues } from './draft';

export function validateDetails(values: ContactValues): FieldErrors<ContactValues> {
  const found = validateContact(values);
  return values.phone.trim() ? found : { ...found, phone: 'Phone number is required' };
}
