import { useState } from 'react';
import { FIGURE, OWN_FIGURES, type ShownFigure, UNTOLD } from '@/components/figure-strip';
import { LazySection } from '@/components/lazy-section';
import { classes } from '@/lib/classes';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import type { CountedNow } from '../counted';
import { useCounted } from '../hooks/use-counted';
import { RealRatingSkeleton } from './real-rating-skeleton';

const realRating = lazyLoader(
  async () => (await importWithRetry(() => import('./real-rating'))).RealRating,
);

const SHOWN = ['average_rating', 'happy_clients', 'recommend'];

/** The share of the content is counted as it is; whether they would recommend was not asked. */
const CONTENT_LABEL = 'Gave 4 or 5 stars';

type Figure = { key: string; value: string; label: string };

/** A figure about reviews is what they come to, as soon as there are any. */
function shownOf(figure: Figure, counted: CountedNow): ShownFigure {
  const asking = counted === undefined;
  if (figure.key === 'average_rating') {
    return { ...figure, value: `${counted?.average ?? figure.value}/5`, asking };
  }
  if (figure.key !== 'recommend') return figure;
  if (!counted) return { ...figure, asking };
  return { ...figure, value: counted.content, label: CONTENT_LABEL };
}

function Figures({ counted }: { counted: CountedNow }) {
  const { figures } = usePractice();
  const stated = SHOWN.flatMap((key) => figures.find((figure) => figure.key === key) ?? []);
  const own = figures.find(({ key }) => key === 'happy_clients');
  const note = counted && own ? `“${own.label}” is our own figure.` : OWN_FIGURES;
  return (
    <div className="flex flex-1 grow-[3] basis-80 flex-col gap-4">
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(5rem,100%),1fr))] gap-4">
        {stated.map((figure) => {
          const { key, value, label, asking } = shownOf(figure, counted);
          return (
            <div
              key={key}
              className="flex flex-col-reverse items-center justify-end gap-1 text-center"
            >
              <dt className="min-h-[3.2em] text-sm wrap-anywhere text-ink-2 sm:min-h-0">{label}</dt>
              <dd className={classes(FIGURE, asking && UNTOLD)}>{value}</dd>
            </div>
          );
        })}
      </dl>
      <p className={classes('text-center text-sm text-ink-2', counted === undefined && UNTOLD)}>
        {note}
      </p>
    </div>
  );
}

/** What the reviews come to, and beside it what the practice states of itself. */
export function ReviewFigures() {
  const first = useCounted();
  // Once its code is loaded, the part beside it counts again after each review.
  const [newest, setNewest] = useState<CountedNow>();
  const counted = newest === undefined ? first : newest;
  return (
    <div className="container-page flex flex-wrap items-center gap-x-12 gap-y-8">
      <Figures counted={counted} />
      <div className="flex-1 grow-[2] basis-96 empty:hidden max-sm:basis-full">
        <LazySection
          code={realRating}
          resting={<RealRatingSkeleton />}
          missing="The figures could not be loaded"
        >
          {(RealRating) => <RealRating onCounted={setNewest} />}
        </LazySection>
      </div>
    </div>
  );
}
