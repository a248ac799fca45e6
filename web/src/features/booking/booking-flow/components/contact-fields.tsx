import { TextArea } from '@/components/ui/text-area';
import { TextField } from '@/components/ui/text-field';
import type { Fields } from '@/lib/use-fields';
import type { ContactValues } from '../../shared/draft';

/** The client's name and contact, filled from the account and never asked for twice. */
export function ContactFields({ fields }: { fields: Fields<ContactValues> }) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-3 font-display text-h3 font-semibold">Your details</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First name" autoComplete="given-name" {...fields.input('firstName')} />
        <TextField label="Last name" autoComplete="family-name" {...fields.input('lastName')} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Email"
          type="email"
          inputMode="email"
          autoComplete="email"
          {...fields.input('email')}
        />
        <TextField
          label="Phone"
          optional
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          {...fields.input('phone')}
        />
      </div>
      <TextArea
        label="Anything we should know?"
        optional
        rows={3}
        hint="Optional. Only your practitioner will read this."
        {...fields.input('notes')}
      />
      <p className="text-sm text-ink-2">
        We use your details for this booking alone: to confirm it, to send you the meeting link, and
        to reach you if something changes. We never sell or share them.
      </p>
    </fieldset>
  );
}
