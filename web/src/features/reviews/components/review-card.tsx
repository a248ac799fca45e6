import type { Ref } from 'react';
import { Link } from 'react-router';
import { Badge } from '@/components/ui/badge';
import { Stars } from '@/components/ui/stars';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { classes } from '@/lib/classes';
import { fewMarks } from '@/lib/letters';
import { cutText } from '../cut-text';
import { reviewPath } from '../review-id';
import { VerifiedBadge } from './review-badges';
import { SmallPicture } from './review-picture';
import { Writer } from './writer';

type ReviewCardProps = {
  review: Review;
  /**
   * Says "User Review" above the text, for pages that are about something else. Its picture is so
   * small that all cards of a row keep one height.
   */
  labelled?: boolean;
  /** Highlighted as the one that was just published. */
  fresh?: boolean;
  /** Where "Back to Reviews" leads, if the card is in a list. */
  from?: string;
  ref?: Ref<HTMLElement>;
};

/** A review in short. */
export function ReviewCard({ review, labelled, fresh, from, ref }: ReviewCardProps) {
  return (
    <article
      ref={ref}
      tabIndex={-1}
      aria-label={`Review by ${review.name}`}
      className={classes(
        'flex h-full min-w-0 flex-col overflow-hidden rounded-panel border bg-surface shadow-soft',
        'transition-shadow duration-200 hover:shadow-lift',
        fresh ? 'border-brand ring-2 ring-brand' : 'border-hairline',
      )}
    >
      <div className="flex flex-1 flex-col gap-4 p-6">
        <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
          <Stars rating={review.rating} />
          {review.verified ? <VerifiedBadge /> : null}
          {labelled ? <Badge tone="neutral">User Review</Badge> : null}
        </div>
        <div
          className={classes(
            'flex flex-1 gap-4',
            !labelled && 'max-sm:flex-col-reverse max-sm:justify-end',
          )}
        >
          <p
            dir="auto"
            className={classes('min-w-0 flex-1 overflow-clip', !labelled && 'max-sm:flex-none')}
          >
            {cutText(fewMarks(review.text))}
          </p>
          {review.image ? (
            <SmallPicture image={review.image} alt={`Photo from ${review.name}`} tiny={labelled} />
          ) : null}
        </div>
        <div className="flex flex-col gap-2 border-t border-hairline pt-4">
          <Writer review={review} />
          <Link
            to={reviewPath(review.reviewId)}
            state={from === undefined ? null : { from }}
            className="-mb-2 inline-flex min-h-11 items-center gap-2 self-start font-semibold text-brand hover:underline"
          >
            Read Full Review
            <span className="sr-only">{` by ${review.name}`}</span>
            <span aria-hidden="true">→</span>
          </Link>
        </div>
      </div>
    </article>
  );
}
