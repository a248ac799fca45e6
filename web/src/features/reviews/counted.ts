/** The figures that are counted from reviews. They replace those that a practice states. */
export type Counted = {
  /** The mean to one decimal, "4.6". */
  average: string;
  /** How many of a hundred gave four or five stars, "88%"; never more than it is. */
  content: string;
  /** "9 reviews" */
  reviews: string;
};

/** Undefined while it is being asked; null where there is nothing to count, or no answer. */
export type CountedNow = Counted | null | undefined;

const CONTENT_FROM = 4;
const HUNDRED = 100n;
const TENTHS = 10n;

/** The mean of all ratings to one decimal, or nothing while there are none. */
export function averageOf(countsByRating: readonly bigint[]): string | undefined {
  let count = 0n;
  let sum = 0n;
  for (const [index, many] of countsByRating.entries()) {
    count += many;
    sum += many * BigInt(index + 1);
  }
  if (count === 0n) return undefined;
  // In whole tenths, a half upwards: a float takes 4.35 for less than it is.
  const tenths = (2n * TENTHS * sum + count) / (2n * count);
  return `${tenths / TENTHS}.${tenths % TENTHS}`;
}

/** So many clients have to have written before anything is stated from their reviews. */
export const TRUSTED_MIN = 3;

/** What the practice may be judged by: reviews of clients whose session is known of. */
export function trustedOf(verifiedCountsByRating: readonly bigint[]): Counted | null {
  const count = verifiedCountsByRating.reduce((total, many) => total + many, 0n);
  return count < TRUSTED_MIN ? null : countedOf(verifiedCountsByRating, 'verified ');
}

export function countedOf(countsByRating: readonly bigint[], which = ''): Counted | null {
  const average = averageOf(countsByRating);
  if (!average) return null;
  const sum = (counts: readonly bigint[]) => counts.reduce((total, many) => total + many, 0n);
  const all = sum(countsByRating);
  const content = sum(countsByRating.slice(CONTENT_FROM - 1));
  return {
    average,
    content: `${(HUNDRED * content) / all}%`,
    reviews: `${all} ${which}${all === 1n ? 'review' : 'reviews'}`,
  };
}
