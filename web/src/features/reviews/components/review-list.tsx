import { type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { FILTERS, type FilterName } from '../filter-url';
import { useReturnScroll } from '../hooks/use-return-scroll';
import { useReviewList } from '../hooks/use-review-list';
import { LOADING_REVIEWS, NO_REVIEWS } from '../review-messages';
import { ReviewCard } from './review-card';
import { ReviewListSkeleton } from './review-list-skeleton';

type ReviewListProps = {
  filter: FilterName;
  /** The review that this person has just published. */
  freshId: string | undefined;
  /** The id of a review that is to be brought into view; emptied when that was done. */
  toShow: RefObject<string>;
  /** Gets what a screen reader shall say of the list; the status outlasts the list. */
  onNews: (news: string) => void;
  /** Called when further reviews were loaded. */
  onMore: () => void;
};

function Empty() {
  return (
    <p className="rounded-panel border border-dashed border-control bg-surface px-6 py-14 text-center text-ink-2">
      {NO_REVIEWS}
    </p>
  );
}

function showCard(card: HTMLElement): void {
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  card.scrollIntoView({ behavior: still ? 'instant' : 'smooth', block: 'center' });
  card.focus({ preventScroll: true });
}

/** The filter's name makes it heard where two filters list equally many. */
function newsOf(filter: FilterName, count: number): string {
  const label = FILTERS.find(({ value }) => value === filter)?.label ?? '';
  if (count === 0) return `${label}: ${NO_REVIEWS}`;
  return `${label}: ${count === 1 ? '1 review is' : `${count} reviews are`} shown.`;
}

type CardsProps = Pick<ReviewListProps, 'freshId' | 'toShow'> & {
  reviews: Review[];
  firstNew: number;
};

function Cards({ reviews, freshId, toShow, firstNew }: CardsProps) {
  const { pathname, search } = useLocation();
  const cards = useRef(new Map<number, HTMLElement>());
  const freshAt = reviews.findIndex((review) => review.reviewId === freshId);

  useEffect(() => {
    const card = cards.current.get(freshAt);
    if (!card || toShow.current !== freshId) return;
    toShow.current = '';
    showCard(card);
  }, [freshAt, freshId, toShow]);

  // After "more" the focus goes to the first of the new ones.
  useEffect(() => {
    if (firstNew > 0) cards.current.get(firstNew)?.focus({ preventScroll: true });
  }, [firstNew]);

  return (
    <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
      {reviews.map((review, index) => (
        <li key={review.reviewId} className="min-w-0">
          <ReviewCard
            ref={(card) => {
              if (card) cards.current.set(index, card);
              else cards.current.delete(index);
            }}
            review={review}
            fresh={index === freshAt}
            from={`${pathname}${search}`}
          />
        </li>
      ))}
    </ul>
  );
}

/** The list of a filter, page by page. */
export function ReviewList({ filter, freshId, toShow, onNews, onMore }: ReviewListProps) {
  const list = useReviewList(filter);
  const { reviews, error, isPending, isFetching, refetch } = list;
  const [firstNew, setFirstNew] = useState(0);
  useReturnScroll(reviews !== undefined);

  const loading = isPending || (!reviews && isFetching);
  // A failure has its own notice.
  const news = loading ? LOADING_REVIEWS : reviews ? newsOf(filter, reviews.length) : '';
  useEffect(() => onNews(news), [news, onNews]);

  if (loading) return <ReviewListSkeleton />;
  if (!reviews) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (reviews.length === 0) return <Empty />;

  async function loadMore() {
    const before = reviews?.length ?? 0;
    const { isFetchNextPageError } = await list.fetchNextPage();
    if (isFetchNextPageError) return;
    setFirstNew(before);
    onMore();
  }

  return (
    <div className="flex flex-col gap-8">
      <Cards reviews={reviews} freshId={freshId} toShow={toShow} firstNew={firstNew} />
      {list.isFetchNextPageError ? (
        <ErrorNotice error={error} onRetry={() => void loadMore()} />
      ) : null}
      {list.hasNextPage && !list.isFetchNextPageError ? (
        <Button
          variant="secondary"
          busy={list.isFetchingNextPage}
          busyText={LOADING_REVIEWS}
          className="self-center"
          onClick={() => void loadMore()}
        >
          Load more
        </Button>
      ) : null}
    </div>
  );
}
