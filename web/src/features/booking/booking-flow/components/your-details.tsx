import { ContactFields } from '@/components/ui/contact-fields';
import type { Fields } from '@/lib/use-fields';
import { NoteField } from '../../shared/components/note-field';
import type { ContactValues } from '../../shared/draft';

/** The client's name and contact, filled from the account and never asked for twice. */
export function YourDetails({ fields }: { fields: Fields<ContactValues> }) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-3 font-display text-h3 font-semibold">Your details</legend>
      <ContactFields fields={fields} phoneOptional />
      <NoteField fields={fields} hint="Optional. Only your practitioner will read this." />
      <p className="text-sm text-ink-2">
        We use your details for this booking alone: to confirm it, to send you the meeting link, and
        to reach you if something changes. We never sell or share them.
      </p>
    </fieldset>
  );
}
