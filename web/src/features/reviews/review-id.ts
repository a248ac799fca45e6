/** Whether a text can be the id of a review; any other text is not sent to the server. */
const FORM = /^rvw_[0-9a-f]{32}$/;

export function isReviewId(text: string | undefined): text is string {
  return text !== undefined && FORM.test(text);
}

export function reviewPath(reviewId: string): string {
  return `/reviews/${reviewId}`;
}

/** What this document was served as when the gateway knew that the review does not exist. */
export const MISSING_DOCUMENT = 'review-not-found';
