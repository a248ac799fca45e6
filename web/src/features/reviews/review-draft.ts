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

/** Fills what is empty from the account. */
export function prefill(values: ReviewValues, account: Account): ReviewValues {
  const name = [account.firstName, account.lastName].filter(Boolean).join(' ');
  return { ...values, name: values.name || name, email: values.email || account.email };
}
