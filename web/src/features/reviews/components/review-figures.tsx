import { LateSection } from '@/components/late-section';
import { importAgain } from '@/lib/import-again';
import { usePractice } from '@/lib/practice';
import { lateCode } from '@/lib/use-late';
import { RealRatingSkeleton } from './real-rating-skeleton';

const realRating = lateCode(
  async () => (await importAgain(() => import('./real-rating'))).RealRating,
);

const SHOWN = ['average_rating', 'happy_clients', 'recommend'];

/** The practice's own figures, and beside them what the reviews come to. */
export function ReviewFigures() {
  const { figures } = usePractice();
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
        <LateSection
          code={realRating}
          resting={<RealRatingSkeleton />}
          missing="The figures could not be loaded"
        >
          {(RealRating) => <RealRating />}
        </LateSection>
      </div>
    </div>
  );
}
