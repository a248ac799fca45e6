import { classes } from '@/lib/classes';

const STARS = [1, 2, 3, 4, 5];

type StarsProps = { rating: number; className?: string };

/** How many of five stars, for eyes and for ears. */
export function Stars({ rating, className }: StarsProps) {
  return (
    <span
      role="img"
      aria-label={`${rating} of 5 stars`}
      className={classes('inline-flex gap-0.5 text-clay', className)}
    >
      {STARS.map((star) => (
        <svg key={star} viewBox="0 0 20 20" aria-hidden="true" className="size-4.5">
          <path
            d="M10 2.2l2.4 4.9 5.4.8-3.9 3.8.9 5.4-4.8-2.5-4.8 2.5.9-5.4L2.2 7.9l5.4-.8z"
            fill={star <= rating ? 'currentColor' : 'none'}
            stroke="currentColor"
            strokeWidth="1.3"
            strokeLinejoin="round"
          />
        </svg>
      ))}
    </span>
  );
}
