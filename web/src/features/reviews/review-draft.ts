/** What was typed into the form, kept for a reload of this tab. Photos are not kept. */
import { readFormDraft, writeFormDraft } from '@/lib/form-draft';
import { EMPTY_REVIEW, type ReviewValues } from './review-rules';

export const DRAFT_KEY = 'reviewDraft';

export function readDraft(): ReviewValues {
  return readFormDraft(DRAFT_KEY, EMPTY_REVIEW);
}

export function writeDraft(values: ReviewValues): void {
  writeFormDraft(DRAFT_KEY, values);
}
