/** What the customer types on the way: in memory through all steps, and kept for a reload. */
import { useCallback, useEffect, useState } from 'react';
import type { AuthUser } from '@/lib/auth';
import { usePersonGone } from '@/lib/personal-state';
import { type Fields, useFields } from '@/lib/use-fields';
import { validateContact } from '../contact-rules';
import { type ContactValues, EMPTY_CONTACT, prefill, readDraft, writeDraft } from '../draft';
import { type LateConsents, useLateConsents } from './use-late';

export type BookingDraft = {
  fields: Fields<ContactValues>;
  inPerson: boolean;
  setInPerson: (inPerson: boolean) => void;
  agreed: boolean;
  setAgreed: (agreed: boolean) => void;
  /** Consents to times that cannot be cancelled for a refund. */
  lateConsents: LateConsents;
};

/** `validate` says what the form asks for; the flow's own rules if nothing is given. */
export function useDraft(user: AuthUser | undefined, validate = validateContact): BookingDraft {
  const [stored] = useState(readDraft);
  const fields = useFields<ContactValues>(stored.contact, validate);
  const [inPerson, setInPerson] = useState(stored.inPerson);
  const [agreed, setAgreed] = useState(false);
  const lateConsents = useLateConsents(user?.id);
  const { values, replace } = fields;

  const account = user?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account, not per keystroke.
  useEffect(() => {
    if (user) replace((typed: ContactValues) => prefill(typed, user));
  }, [account]);

  useEffect(() => {
    if (account) writeDraft({ contact: values, inPerson, agreed: false });
  }, [account, values, inPerson]);

  const forget = useCallback(() => {
    replace(EMPTY_CONTACT);
    setInPerson(false);
    setAgreed(false);
  }, [replace]);
  usePersonGone(forget);

  return { fields, inPerson, setInPerson, agreed, setAgreed, lateConsents };
}
