/** The reviews of the home page, with every way in which reading them can end. */
import { useEffect } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { CardRow } from '@/features/home/components/card-row';
import { TestimonialsSkeleton } from '@/features/home/components/testimonials-skeleton';
import { ReviewCard } from '@/features/reviews/components/review-card';
import { useNewestReviews } from '@/features/reviews/hooks/use-review-list';

const SHOWN_MAX = 6;
/** So many fill the width of the page. */
const FULL_ROW = 3;

function NoneYet() {
  return (
    <div className="container-page flex flex-1 flex-col">
      <div className="flex flex-1 flex-col overflow-hidden rounded-panel border border-hairline bg-surface shadow-soft md:flex-row">
        <ServiceArt
          seed="relationship-counseling"
          accent="plum"
          className="h-44 w-full md:h-auto md:w-2/5"
        />
        <div className="flex flex-1 flex-col items-start justify-center gap-6 p-6 sm:p-10 lg:p-16">
          <p className="measure text-lg text-ink-2">
            No reviews yet. If you've had a session with us, a few honest words could help someone
            decide.
          </p>
          <Button href="/reviews#write">Write the first review</Button>
        </div>
      </div>
    </div>
  );
}

/** Fills the place of the next review. */
function Yours() {
  return (
    <div className="flex h-full flex-col items-start justify-center gap-5 rounded-panel border border-dashed border-control p-6">
      <p className="font-display text-h3 font-semibold">And how was it for you?</p>
      <p className="text-ink-2">A few honest sentences help somebody who is where you were.</p>
      <Button href="/reviews#write" variant="secondary">
        Write a review
      </Button>
    </div>
  );
}

export default function NewestReviews() {
  const { data, error, isPending, isFetching, refetch } = useNewestReviews(SHOWN_MAX);

  // When the connection comes back, they are loaded without a press.
  useEffect(() => {
    if (!error) return;
    const again = () => void refetch({ cancelRefetch: false });
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [error, refetch]);

  if (isPending || (!data && isFetching)) return <TestimonialsSkeleton />;
  if (!data) {
    return (
      <div className="container-page">
        <ErrorNotice
          title="The reviews could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      </div>
    );
  }
  const reviews = data.reviews.filter(({ userGenerated }) => userGenerated);
  if (reviews.length === 0) return <NoneYet />;
  const items = reviews.map((review) => ({
    key: review.reviewId,
    content: <ReviewCard review={review} labelled />,
  }));
  if (items.length < FULL_ROW) items.push({ key: 'yours', content: <Yours /> });
  return (
    <CardRow items={items}>
      <Button to="/reviews" variant="quiet" className="-ml-6">
        Read all reviews
      </Button>
    </CardRow>
  );
}
