/**
 * Placeholder for the site's own origin. The gateway puts PUBLIC_URL's in when it reads the
 * files, so that one build serves every address.
 */
export const ORIGIN = 'https://site.invalid';

/**
 * Placeholder for a review's id in the document of any review. The gateway puts in the id that
 * was asked for when it sends the document, so that a shared review has an address of its own.
 */
export const REVIEW = `rvw_${'0'.repeat(32)}`;
