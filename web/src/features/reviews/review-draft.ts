/** What was typed into the form, kept for a reload of this tab. Photos are not kept. */
import { readTab, writeTab } from '@/lib/tab-storage';
import { EMPTY_REVIEW, type ReviewValues } from './review-rules';

const KEY = 'reviewDraft';

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readDraft(): ReviewValues {
  try {
    const stored = JSON.parse(readTab(KEY) ?? 'null') as Partial<ReviewValues> | null;
    if (!stored) return EMPTY_REVIEW;
    return {
      rating: text(stored.rating),
      name: text(stored.name),
      email: text(stored.email),
      service: text(stored.service),
      text: text(stored.text),
    };
  } catch {
    return EMPTY_REVIEW;
  }
}

export function writeDraft(values: ReviewValues): void {
  const empty = Object.values(values).every((value) => value === '');
  writeTab(KEY, empty ? null : JSON.stringify(values));
}

type Account = { firstName: string; lastName: string; email: string };

/** What an account puts into the form. */
export type AccountValues = Pick<ReviewValues, 'name' | 'email'>;

export const NO_ACCOUNT: AccountValues = { name: '', email: '' };

export function accountValues({ firstName, lastName, email }: Account): AccountValues {
  return { name: [firstName, lastName].filter(Boolean).join(' '), email };
}

/** Fills what is empty from the account. */
export function prefill(values: ReviewValues, account: AccountValues): ReviewValues {
  const { name, email } = values;
  return { ...values, name: name || account.name, email: email || account.email };
}

/** Empties what still is as the account gave it: that belongs to the account and not to this tab. */
export function withoutAccount(values: ReviewValues, account: AccountValues): ReviewValues {
  return {
    ...values,
    name: values.name === account.name ? '' : values.name,
    email: values.email === account.email ? '' : values.email,
  };
}
