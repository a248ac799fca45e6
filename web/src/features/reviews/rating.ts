/** Stars and what they are called. */
export const RATINGS = [1, 2, 3, 4, 5] as const;
export type Rating = (typeof RATINGS)[number];

const LABELS: Record<Rating, string> = {
  5: 'Excellent!',
  4: 'Very Good!',
  3: 'Good!',
  2: 'Fair',
  1: 'Poor',
};

export function toRating(value: string | number): Rating | undefined {
  return RATINGS.find((rating) => rating === Number(value));
}

/** "Excellent!", or nothing for what is no rating. */
export function ratingLabel(value: string | number): string {
  const rating = toRating(value);
  return rating ? LABELS[rating] : '';
}

export function starsText(rating: number): string {
  return rating === 1 ? '1 star' : `${rating} stars`;
}
