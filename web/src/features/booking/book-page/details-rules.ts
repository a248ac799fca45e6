/** What the booking details of /book ask for: the contact form's rules, and a phone number. */
import { readPhone } from '@/lib/typed';
import type { FieldErrors } from '@/lib/use-fields';
import { validateContact } from '../shared/contact-rules';
import type { ContactValues } from '../shared/draft';

export function validateDetails(values: ContactValues): FieldErrors<ContactValues> {
  const found = validateContact(values);
  if (!readPhone(values.phone)) return { ...found, phone: 'Phone number is required' };
  // It cannot be left empty here.
  return found.phone ? { ...found, phone: 'Enter a phone number such as 98765 43210' } : found;
}
