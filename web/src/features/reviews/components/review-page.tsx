import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { ServiceArt } from '@/components/art/service-art';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { classes } from '@/lib/classes';
import { useHydrated } from '@/lib/use-hydrated';
import { usePageTitle } from '@/lib/use-page-title';
import { useReview, useReviewInDocument } from '../hooks/use-review';
import { isReviewId, MISSING_DOCUMENT } from '../review-id';
import { BookCall } from './book-call';
import { ReviewDetails } from './review-details';
import { ReviewSkeleton } from './review-skeleton';

const LIST = '/reviews';

/** Leads back to the list: to the very place that it was left at, if the visitor comes from there. */
function BackLink() {
  const navigate = useNavigate();
  const { state } = useLocation();
  // After a reload the browser still knows it, and the document does not.
  const from = useHydrated() ? (state as { from?: unknown } | null)?.from : undefined;
  const to = typeof from === 'string' && from.startsWith(LIST) ? from : LIST;

  function onClick(event: MouseEvent) {
    const plain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0;
    if (!plain || to !== from) return;
    event.preventDefault();
    void navigate(-1);
  }

  return (
    <AppLink
      to={to}
      onClick={onClick}
      className="inline-flex min-h-11 items-center gap-2 self-start font-semibold text-brand hover:underline"
    >
      <span aria-hidden="true">←</span> Back to Reviews
    </AppLink>
  );
}

type FrameProps = {
  /** Nothing is below a part that is still loading, so that it pushes nothing down. */
  waiting?: boolean;
  children: ReactNode;
};

function Frame({ waiting, children }: FrameProps) {
  return (
    <div className="flex flex-col gap-20">
      <div className={classes('container-page pt-8', waiting && 'min-h-dvh')}>
        <div className="mx-auto flex max-w-3xl flex-col gap-4">
          <BackLink />
          {children}
        </div>
      </div>
      {waiting ? null : <BookCall />}
    </div>
  );
}

function ReviewNotFound() {
  usePageTitle('Review Not Found');
  return (
    <div className="container-page grid items-center gap-10 py-16 md:grid-cols-2">
      <div className="flex flex-col items-start gap-8">
        <PageHeading lead="The review you're looking for doesn't exist or has been removed.">
          Review Not Found
        </PageHeading>
        <div className="flex flex-wrap gap-3">
          <Button to={LIST}>Back to Reviews</Button>
          <Button to="/services" variant="secondary">
            See our services
          </Button>
        </div>
      </div>
      <ServiceArt
        seed="relationship-counseling"
        accent="clay"
        className="aspect-[4/3] w-full rounded-panel max-md:aspect-[2/1]"
      />
    </div>
  );
}

function Waiting() {
  return (
    <Frame waiting>
      <ReviewSkeleton />
    </Frame>
  );
}

/** Whether the gateway knew, when it served this document, that its review does not exist. */
function servedAsMissing(): boolean {
  if (typeof document === 'undefined') return false;
  return document.getElementById('root')?.dataset.document === MISSING_DOCUMENT;
}

function KnownReview({ reviewId }: { reviewId: string }) {
  const hydrated = useHydrated();
  const [wasMissing] = useState(servedAsMissing);
  const { review, missing, error, isPending, isFetching, refetch } = useReview(reviewId);
  usePageTitle(review ? `${review.name} on ${review.service}` : undefined);

  // The document's answer is about the address that it was loaded with, not about a later one.
  useEffect(() => {
    if (wasMissing) document.getElementById('root')?.removeAttribute('data-document');
  }, [wasMissing]);

  if (missing || (wasMissing && isPending)) return <ReviewNotFound />;
  if (review) {
    return (
      <Frame waiting={!hydrated}>
        <ReviewDetails review={review} />
      </Frame>
    );
  }
  if (isPending || isFetching) return <Waiting />;
  return (
    <Frame>
      <h1 className="sr-only">Review</h1>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </Frame>
  );
}

/** /reviews/:reviewId */
export function ReviewPage({ reviewId }: { reviewId: string | undefined }) {
  const hydrated = useHydrated();
  const inDocument = useReviewInDocument(reviewId) !== undefined;
  if (!isReviewId(reviewId)) return <ReviewNotFound />;
  return hydrated || inDocument ? <KnownReview key={reviewId} reviewId={reviewId} /> : <Waiting />;
}
