/** Where the tab keeps what was typed, and the key of the attempt to send it. Photos are not kept. */
import { writeFormDraft } from '@/lib/form-draft';
import { EMPTY_REVIEW, validateReview } from './review-rules';

export const DRAFT_KEY = 'reviewDraft';
export const ATTEMPT_KEY = 'reviewSubmitKey';

export const REVIEW_FORM = { key: DRAFT_KEY, empty: EMPTY_REVIEW, validate: validateReview };

export function clearDraft(): void {
  writeFormDraft(DRAFT_KEY, EMPTY_REVIEW);
}
