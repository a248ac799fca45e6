/** The fields of a form, filled from the account and kept for a reload. */
import { useCallback, useEffect, useState } from 'react';
import type { AuthUser } from './auth';
import {
  type AccountValues,
  accountValues,
  NO_ACCOUNT,
  prefill,
  readFormDraft,
  withoutAccount,
  writeFormDraft,
} from './form-draft';
import { usePersonGone } from './personal-state';
import { type FieldErrors, type Fields, useFields } from './use-fields';

type Form<V> = {
  /** Under which the tab keeps what was typed. */
  key: string;
  empty: V;
  validate: (values: V) => FieldErrors<V>;
};

/** What is not empty. */
function typedOf<V extends Record<string, string>>(values: V): Partial<V> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Partial<V>;
}

export function useDraftFields<V extends AccountValues & Record<string, string>>(
  { key, empty, validate }: Form<V>,
  user: AuthUser | undefined,
): Fields<V> {
  const fields = useFields<V>(empty, validate);
  const { values, replace } = fields;
  const [restored, setRestored] = useState(false);
  const [filled, setFilled] = useState(NO_ACCOUNT);

  // The page is prerendered with an empty form, so what this tab remembers comes a moment later.
  useEffect(() => {
    replace((typed: V) => ({ ...readFormDraft(key, empty), ...typedOf(typed) }));
    setRestored(true);
  }, [key, empty, replace]);

  // After a change of account the form must not show the previous account's name and address.
  const account = user?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account, not per keystroke.
  useEffect(() => {
    if (!restored) return;
    const next = user ? accountValues(user) : NO_ACCOUNT;
    replace((typed: V) => prefill(withoutAccount(typed, filled), next));
    setFilled(next);
  }, [account, restored]);

  useEffect(() => {
    if (restored) writeFormDraft(key, withoutAccount(values, filled));
  }, [key, restored, values, filled]);

  const forget = useCallback(() => {
    replace(empty);
    setFilled(NO_ACCOUNT);
  }, [replace, empty]);
  usePersonGone(forget);

  return fields;
}
