/** The declaration: what is typed and ticked, and whether it can be given. */
import { useCallback, useEffect, useState } from 'react';
import type { AuthUser } from '@/lib/auth';
import { usePersonGone } from '@/lib/personal-state';
import { type Fields, useFields } from '@/lib/use-fields';
import { clearConsentDraft, readConsentDraft, writeConsentDraft } from '../consent-draft';
import { type ConsentValues, EMPTY_CONSENT, stillNeeded, validateConsent } from '../consent-rules';

/** A consent that was given on this page, and is in memory only until the booking takes it. */
export type SignedConsent = ConsentValues & { version: string };

export type ConsentForm = {
  fields: Fields<ConsentValues>;
  accepted: boolean;
  setAccepted: (accepted: boolean) => void;
  /** What is missing; the button stays disabled until nothing is. */
  needed: string[];
  /** Drops what was typed: the server has it. */
  forget: () => void;
  /** The consent to terms of this version, or nothing where a field is wrong. */
  sign: (version: string) => SignedConsent | undefined;
};

function accountName({ firstName, lastName }: AuthUser): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

export function useConsentForm(user: AuthUser | undefined): ConsentForm {
  const [stored] = useState(readConsentDraft);
  const fields = useFields<ConsentValues>(stored, validateConsent);
  const [accepted, setAccepted] = useState(false);
  const { values, replace } = fields;

  const account = user?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account, not per keystroke.
  useEffect(() => {
    if (!user) return;
    replace((typed: ConsentValues) => ({
      ...typed,
      fullName: typed.fullName || accountName(user),
      email: typed.email || user.email,
    }));
  }, [account]);

  useEffect(() => writeConsentDraft(values), [values]);

  const forgetPerson = useCallback(() => {
    replace(EMPTY_CONSENT);
    setAccepted(false);
  }, [replace]);
  usePersonGone(forgetPerson);

  function sign(version: string): SignedConsent | undefined {
    if (!accepted || !fields.check()) return undefined;
    const { fullName, email, signature } = values;
    const lines = [fullName, email, signature].map((line) => line.trim());
    const [name = '', address = '', signed = ''] = lines;
    return { version, fullName: name, email: address, signature: signed };
  }

  function forget(): void {
    replace((typed: ConsentValues) => ({ ...typed, signature: '' }));
    setAccepted(false);
    clearConsentDraft();
  }

  return { forget, fields, accepted, setAccepted, needed: stillNeeded(values, accepted), sign };
}
