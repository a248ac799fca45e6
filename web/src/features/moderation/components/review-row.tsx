import { useId, useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Stars } from '@/components/ui/stars';
import type { Review, ReviewImage } from '@/gen/reviews/v1/reviews_service_pb';
import type { StaffReview } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { mailto } from '@/lib/mailto';
import { usePracticeZone } from '@/lib/practice';
import { shownAddress } from '@/lib/shown-address';
import { formatDateTime, toDate } from '@/lib/time';
import { DeleteQuestion } from './delete-question';
import { ReviewText } from './review-text';

type ReviewRowProps = { listed: StaffReview; onDelete: () => void };

/** The small picture; it leads to the large one. One that fails is not shown. */
function Thumbnail({ image, name }: { image: ReviewImage; name: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return (
    <a
      href={image.path}
      target="_blank"
      rel="noreferrer"
      className="size-16 overflow-hidden rounded-input bg-sunken sm:row-span-2 sm:size-20"
    >
      <img
        src={image.smallPath}
        alt={`From ${name}, opens large in a new tab`}
        width={80}
        height={80}
        loading="lazy"
        onError={() => setFailed(true)}
        className="size-full object-cover"
      />
    </a>
  );
}

function Facts({ review, email, nameId }: { review: Review; email: string; nameId: string }) {
  const zone = usePracticeZone();
  return (
    <div className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 self-start">
        <h4 id={nameId} className="min-w-0 font-sans font-semibold tracking-normal break-words">
          <bdi>{review.name}</bdi>
        </h4>
        <Stars rating={review.rating} />
        {review.verified ? <Badge tone="ok">Verified</Badge> : null}
      </div>
      {review.image ? <Thumbnail image={review.image} name={review.name} /> : null}
      <div className="col-span-2 min-w-0 text-sm text-ink-2 sm:col-span-1 sm:row-start-2">
        <a
          href={mailto(email)}
          className="inline-block min-h-6 break-all text-brand underline-offset-4 hover:underline"
        >
          {shownAddress(email)}
        </a>
        <p>
          {review.service}
          {review.createdAt ? (
            <>
              {' · '}
              <span className="numeric">{formatDateTime(toDate(review.createdAt), zone)}</span>
            </>
          ) : null}
        </p>
      </div>
    </div>
  );
}

/** One review with everything that staff may see. */
export function ReviewRow({ listed, onDelete }: ReviewRowProps) {
  const nameId = useId();
  const { review, email } = listed;
  if (!review) return null;
  return (
    <li>
      <article
        aria-labelledby={nameId}
        data-review={review.reviewId}
        tabIndex={-1}
        className="flex flex-col gap-3 rounded-card border border-hairline p-4"
      >
        <Facts review={review} email={email} nameId={nameId} />
        <ReviewText text={review.text} />
        <div>
          <DeleteQuestion name={review.name} onDelete={onDelete} />
        </div>
      </article>
    </li>
  );
}
