import { useEffect } from 'react';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Stars } from '@/components/ui/stars';
import { type CountedNow, countedOf, trustedOf } from '../counted';
import { useStatistics } from '../hooks/use-statistics';
import { RATINGS, starsText } from '../rating';
import { RealRatingSkeleton } from './real-rating-skeleton';

const FROM_FIVE_TO_ONE = [...RATINGS].reverse();

/** A line of the chart: an SVG, because the content policy allows no inline widths. */
function Bar({ stars, count, total }: { stars: number; count: number; total: number }) {
  return (
    <li className="flex items-center gap-3 text-sm text-ink-2 numeric">
      <span className="w-3 text-right" aria-hidden="true">
        {stars}
      </span>
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-2 min-w-0 flex-1 rounded-full"
      >
        <rect width="100" height="8" className="fill-sunken" />
        <rect width={(100 * count) / total} height="8" className="fill-clay" />
      </svg>
      <span className="w-8 text-right" aria-hidden="true">
        {count}
      </span>
      <span className="sr-only">{`${starsText(stars)}: ${count}`}</span>
    </li>
  );
}

const PANEL =
  'min-h-74 rounded-panel border border-hairline bg-surface p-6 shadow-soft sm:min-h-47';

/** Without reviews there is no figure. */
function NothingYet() {
  return (
    <p className={`${PANEL} grid place-content-center text-center text-ink-2`}>
      No reviews yet. If you've had a session with us, a few honest words could help someone decide.
    </p>
  );
}

/** Hands what was counted to the figures beside it. */
function useTold(
  data: { verifiedCountsByRating: bigint[] } | undefined,
  failed: boolean,
  tell: Tell,
) {
  useEffect(() => {
    if (data) tell(trustedOf(data.verifiedCountsByRating));
    else if (failed) tell(null);
  }, [data, failed, tell]);
}

type Tell = (counted: CountedNow) => void;

/** What the reviews themselves come to; no figure is shown while there are none. */
export function RealRating({ onCounted }: { onCounted: Tell }) {
  const { data, error, isPending, isFetching, refetch } = useStatistics();
  useTold(data, error !== null, onCounted);
  if (isPending || (!data && isFetching)) return <RealRatingSkeleton />;
  if (!data) {
    const title = 'The figures could not be loaded';
    return <ErrorNotice title={title} error={error} onRetry={() => void refetch()} />;
  }
  const counted = countedOf(data.countsByRating);
  if (!counted) return <NothingYet />;
  const { average, reviews } = counted;
  const total = Number(data.count);
  return (
    <section
      aria-labelledby="real-title"
      className={`${PANEL} grid grid-cols-1 content-center items-center gap-x-8 gap-y-4 sm:grid-cols-[auto_1fr]`}
    >
      <div className="flex flex-col gap-1">
        <h2 id="real-title" className="font-sans text-sm font-semibold tracking-normal text-ink-2">
          From the reviews below
        </h2>
        <p className="flex flex-wrap items-center gap-x-3">
          <span className="font-display text-h1 font-semibold numeric">{average}</span>
          <Stars rating={Number(average)} />
        </p>
        <p className="text-sm text-ink-2 numeric">from {reviews}</p>
      </div>
      <ul className="flex flex-col gap-1">
        {FROM_FIVE_TO_ONE.map((stars) => (
          <Bar
            key={stars}
            stars={stars}
            count={Number(data.countsByRating[stars - 1] ?? 0n)}
            total={total}
          />
        ))}
      </ul>
    </section>
  );
}
