import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Stars } from '@/components/ui/stars';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { fewMarks } from '@/lib/letters';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, toDate } from '@/lib/time';
import { useHydrated } from '@/lib/use-hydrated';
import { ratingLabel } from '../rating';
import { isRecent } from '../relative-date';
import { RecentBadge, VerifiedBadge } from './review-badges';
import { LargePicture } from './review-picture';
import { Writer } from './writer';

/** Stars, their name, and badges. */
export function ReviewMarks({ review }: { review: Review }) {
  const recent = review.createdAt ? isRecent(toDate(review.createdAt)) : false;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="flex items-center gap-3">
        <Stars rating={review.rating} className="size-7" />
        <span className="font-semibold text-clay">{ratingLabel(review.rating)}</span>
      </p>
      <p className="flex flex-wrap gap-2 empty:hidden">
        {review.verified ? <VerifiedBadge /> : null}
        {recent ? <RecentBadge /> : null}
      </p>
    </div>
  );
}

function Below({ review }: { review: Review }) {
  const zone = usePracticeZone();
  const { createdAt, image } = review;
  return (
    <>
      {image ? <LargePicture image={image} alt={`Photo from ${review.name}`} /> : null}
      <footer className="flex flex-wrap items-center justify-between gap-4 border-t border-hairline pt-6">
        <Writer review={review} />
        {createdAt ? (
          <p className="text-sm text-ink-2">{formatDate(toDate(createdAt), zone)}</p>
        ) : null}
      </footer>
    </>
  );
}

/** The whole review. Its document holds the words; what depends on today comes with the scripts. */
export function ReviewDetails({ review }: { review: Review }) {
  const hydrated = useHydrated();
  return (
    <Card className="rounded-panel p-6 sm:p-10">
      <article className="flex flex-col gap-6">
        <ReviewMarks review={review} />
        <PageHeading className="[&_h1]:text-h2">
          {`${fewMarks(review.name)} on ${review.service}`}
        </PageHeading>
        <p dir="auto" className="overflow-clip text-lg whitespace-pre-line">
          {fewMarks(review.text)}
        </p>
        {hydrated ? <Below review={review} /> : null}
      </article>
    </Card>
  );
}
