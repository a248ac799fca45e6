/** Typed values, filled from the account and kept for a reload. */
import { useEffect, useState } from 'react';
import type { AuthUser } from '@/lib/auth';
import { type Fields, useFields } from '@/lib/use-fields';
import {
  accountValues,
  NO_ACCOUNT,
  prefill,
  readDraft,
  withoutAccount,
  writeDraft,
} from '../review-draft';
import { EMPTY_REVIEW, type ReviewValues, validateReview } from '../review-rules';

/** What is not empty. */
function typedOf(values: ReviewValues): Partial<ReviewValues> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value));
}

export function useDraft(user: AuthUser | undefined): Fields<ReviewValues> {
  const fields = useFields<ReviewValues>(EMPTY_REVIEW, validateReview);
  const { values, replace } = fields;
  const [restored, setRestored] = useState(false);
  const [filled, setFilled] = useState(NO_ACCOUNT);

  // The page is prerendered with an empty form, so what this tab remembers comes a moment later.
  useEffect(() => {
    replace((typed: ReviewValues) => ({ ...readDraft(), ...typedOf(typed) }));
    setRestored(true);
  }, [replace]);

  // Whoever sits here next shall not find the name and the address of the account before.
  const account = user?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per account, not per keystroke.
  useEffect(() => {
    if (!restored) return;
    const next = user ? accountValues(user) : NO_ACCOUNT;
    replace((typed: ReviewValues) => prefill(withoutAccount(typed, filled), next));
    setFilled(next);
  }, [account, restored]);

  useEffect(() => {
    if (restored) writeDraft(withoutAccount(values, filled));
  }, [restored, values, filled]);

  return fields;
}
