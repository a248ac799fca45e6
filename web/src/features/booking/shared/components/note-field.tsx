import type { ReactNode } from 'react';
import { TextArea } from '@/components/ui/text-area';
import type { Fields } from '@/lib/use-fields';
import type { ContactValues } from '../draft';

type NoteFieldProps = { fields: Fields<ContactValues>; hint: ReactNode };

/** What the practitioner should know beforehand. */
export function NoteField({ fields, hint }: NoteFieldProps) {
  return (
    <TextArea
      label="Anything we should know?"
      optional
      rows={3}
      hint={hint}
      {...fields.input('notes')}
    />
  );
}
