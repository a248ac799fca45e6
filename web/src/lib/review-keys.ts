/**
 * The keys under which queries about reviews are kept, one place for all who read or change them:
 * features/reviews reads under them, features/moderation makes them be read again. Whatever is read
 * about reviews has to stand below `all`.
 */
const ALL = ['reviews'] as const;

export const REVIEW_KEYS = {
  all: ALL,
  /** Pages of the list, by filter. */
  list: (filter: number) => [...ALL, 'list', filter] as const,
  one: (reviewId: string) => [...ALL, 'one', reviewId] as const,
  statistics: [...ALL, 'statistics'] as const,
};
