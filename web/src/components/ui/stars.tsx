import { classes } from '@/lib/classes';

const STARS = [1, 2, 3, 4, 5] as const;

export const STAR_PATH =
  'M10 1.9l2.48 5.03 5.55.8-4.02 3.92.95 5.53L10 14.57l-4.96 2.61.95-5.53L1.97 7.73l5.55-.8z';

type StarsProps = {
  rating: number;
  /** Classes of each star; its size above all. */
  className?: string;
};

/** So many of five stars, drawn for the eye and said in words for the ear. */
export function Stars({ rating, className = 'size-5' }: StarsProps) {
  const many = rating === 1 ? '1 star' : `${rating} stars`;
  return (
    <span role="img" aria-label={`${many} of 5`} className="inline-flex gap-0.5">
      {STARS.map((star) => (
        <svg key={star} viewBox="0 0 20 20" aria-hidden="true" className={className}>
          <path
            d={STAR_PATH}
            className={classes(
              star <= Math.round(rating)
                ? 'fill-clay stroke-clay'
                : 'fill-transparent stroke-control',
            )}
            strokeWidth="1.2"
            strokeLinejoin="round"
          />
        </svg>
      ))}
    </span>
  );
}
