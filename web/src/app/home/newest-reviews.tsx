/** The reviews of the home page, with every way in which reading them can end. */
import { useEffect } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { CardRow } from '@/features/home/components/card-row';
import { TestimonialsSkeleton } from '@/features/home/components/testimonials-skeleton';
import { ReviewCard } from '@/features/reviews/components/review-card';
import { TRUSTED_MIN } from '@/features/reviews/counted';
import { useNewestReviews } from '@/features/reviews/hooks/use-review-list';

const SHOWN_MAX = 6;
function TooFew() {
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
            We show words here once three clients have written after a session. If you've had one
            with us, a few honest words could help someone decide.
          </p>
          <div className="flex flex-wrap gap-3">
            <Button href="/reviews#write">Write a review</Button>
            <Button to="/reviews" variant="secondary">
              Read all reviews
            </Button>
          </div>
        </div>
      </div>
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
  if (reviews.length < TRUSTED_MIN) return <TooFew />;
  const items = reviews.map((review) => ({
    key: review.reviewId,
    content: <ReviewCard review={review} labelled />,
  }));
  return (
    <CardRow items={items}>
      <Button to="/reviews" variant="quiet" className="-ml-6">
        Read all reviews
      </Button>
    </CardRow>
  );
}
