import { lazy, Suspense } from 'react';
import { usePractice } from '@/lib/practice';
import { useHydrated } from '@/lib/use-hydrated';
import { RealRatingSkeleton } from './real-rating-skeleton';

const RealRating = lazy(async () => ({ default: (await import('./real-rating')).RealRating }));

const SHOWN = ['average_rating', 'happy_clients', 'recommend'];

/** The practice's own figures, and beside them what the reviews come to. */
export function ReviewFigures() {
  const { figures } = usePractice();
  const hydrated = useHydrated();
  const shown = SHOWN.flatMap((key) => figures.find((figure) => figure.key === key) ?? []);
  return (
    <div className="container-page flex flex-wrap items-center gap-x-12 gap-y-8">
      <dl className="grid flex-1 grow-[3] basis-80 grid-cols-3 gap-4">
        {shown.map(({ key, value, label }) => (
          <div
            key={key}
            className="flex flex-col-reverse items-center justify-end gap-1 text-center"
          >
            <dt className="text-sm text-ink-2">{label}</dt>
            <dd className="font-display text-h2 font-semibold text-brand numeric">
              {key === 'average_rating' ? `${value}/5` : value}
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex-1 grow-[2] basis-96 empty:hidden max-sm:basis-full">
        {hydrated ? (
          <Suspense fallback={<RealRatingSkeleton />}>
            <RealRating />
          </Suspense>
        ) : (
          <RealRatingSkeleton />
        )}
      </div>
    </div>
  );
}
