const STARS = [1, 2, 3, 4, 5] as const;

export const STAR_PATH =
  'M10 1.9l2.48 5.03 5.55.8-4.02 3.92.95 5.53L10 14.57l-4.96 2.61.95-5.53L1.97 7.73l5.55-.8z';

/** Where the shape begins and ends in its square of 20: the air beside it is no part of a star. */
const LEFT = 1.97;
const RIGHT = 18.03;
/** The line around a star lies half outside of its shape. */
const WHOLE = 20;

/** How much of the star is filled, from its left edge: 0 to 20 of its square's width. */
export function filledWidth(rating: number, star: number): number {
  const part = Math.min(1, Math.max(0, rating - (star - 1)));
  if (part === 0 || part === 1) return part * WHOLE;
  return Number((LEFT + part * (RIGHT - LEFT)).toFixed(2));
}

function Shape({ filled }: { filled: boolean }) {
  return (
    <path
      d={STAR_PATH}
      className={filled ? 'fill-clay stroke-clay' : 'fill-transparent stroke-control'}
      strokeWidth="1.2"
      strokeLinejoin="round"
    />
  );
}

/** What counts of a star is cut off by the edge of a picture of its own, inside of the star's. */
function Part({ width }: { width: number }) {
  return (
    <svg width={width} height="20" viewBox={`0 0 ${width} 20`} overflow="hidden" aria-hidden="true">
      <Shape filled />
    </svg>
  );
}

function Star({ width, className }: { width: number; className: string }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className={className}>
      <Shape filled={width === WHOLE} />
      {width > 0 && width < WHOLE ? <Part width={width} /> : null}
    </svg>
  );
}

type StarsProps = {
  rating: number;
  /** Classes of each star; its size above all. */
  className?: string;
};

/** A rating of five stars, with fractions: drawn, and as a text for screen readers. */
export function Stars({ rating, className = 'size-5' }: StarsProps) {
  const many = rating === 1 ? '1 star' : `${rating} stars`;
  return (
    <span role="img" aria-label={`${many} of 5`} className="inline-flex gap-0.5">
      {STARS.map((star) => (
        <Star key={star} width={filledWidth(rating, star)} className={className} />
      ))}
    </span>
  );
}
