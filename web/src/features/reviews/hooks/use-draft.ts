/** Typed values, filled from the account and kept for a reload. */
import type { AuthUser } from '@/lib/auth';
import { useDraftFields } from '@/lib/use-draft-fields';
import type { Fields } from '@/lib/use-fields';
import { DRAFT_KEY } from '../review-draft';
import { EMPTY_REVIEW, type ReviewValues, validateReview } from '../review-rules';

const FORM = { key: DRAFT_KEY, empty: EMPTY_REVIEW, validate: validateReview };

export function useDraft(user: AuthUser | undefined): Fields<ReviewValues> {
  return useDraftFields<ReviewValues>(FORM, user);
}
