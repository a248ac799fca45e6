import { useEffect, useRef, useState } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { useFilter } from '../hooks/use-filter';
import { type Invitation, useInvitation } from '../hooks/use-invitation';
import { BookCall } from './book-call';
import { ReviewFigures } from './review-figures';
import { ReviewForm } from './review-form';
import { ReviewListSection } from './review-list-section';

function Hero() {
  return (
    <section className="container-page grid items-center gap-10 pt-12 md:grid-cols-[1.2fr_1fr] lg:pt-16">
      <div className="flex flex-col items-start gap-8">
        <PageHeading
          eyebrow="Reviews"
          lead="What people say after their sessions: the good and the not so good, unedited. Read about other people's experiences, and share your own."
        >
          In their own words
        </PageHeading>
        <div className="flex flex-wrap gap-3">
          <Button href="#write">Write a review</Button>
          <Button href="#reviews" variant="secondary">
            Read reviews
          </Button>
        </div>
      </div>
      <ServiceArt
        seed="relationship-counseling"
        accent="clay"
        className="aspect-[4/3] w-full rounded-panel max-md:order-first max-md:aspect-[2/1]"
      />
    </section>
  );
}

type WriteProps = {
  invitation: Invitation;
  /** How many were published from here; each leaves an empty form. */
  published: number;
  onPublished: (review: Review) => void;
};

function Write({ invitation, published, onPublished }: WriteProps) {
  const title = useRef<HTMLHeadingElement>(null);
  const { arrivals } = invitation;

  // The link of a mail is an invitation to write.
  useEffect(() => {
    if (arrivals === 0) return;
    title.current?.scrollIntoView({ behavior: 'instant', block: 'start' });
    title.current?.focus({ preventScroll: true });
  }, [arrivals]);

  return (
    <section id="write" aria-labelledby="write-title" className="container-page scroll-mt-24">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-14 gap-y-8 rounded-panel border border-hairline bg-surface p-5 shadow-soft sm:p-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.7fr)]">
        <div className="flex flex-col gap-4">
          <h2
            ref={title}
            id="write-title"
            tabIndex={-1}
            className="scroll-mt-28 text-h2 outline-none"
          >
            Share your experience
          </h2>
          <p className="text-ink-2">
            A few honest sentences help somebody who is where you were. Your review is shown at
            once, and you need no account.
          </p>
          <ServiceArt
            seed="meditation"
            accent="leaf"
            className="mt-4 min-h-40 w-full flex-1 rounded-panel max-lg:hidden"
          />
        </div>
        <ReviewForm key={published} invitation={invitation} onPublished={onPublished} />
      </div>
    </section>
  );
}

/** /reviews: figures, the form, and the list of reviews. */
export function ReviewsPage() {
  const [filter, setFilter] = useFilter();
  const [fresh, setFresh] = useState<{ reviewId: string; count: number }>();
  const toShow = useRef('');
  const invitation = useInvitation();

  function onPublished({ reviewId, verified }: Review) {
    if (filter === 'verified' && !verified) setFilter('all');
    toShow.current = reviewId;
    setFresh((before) => ({ reviewId, count: (before?.count ?? 0) + 1 }));
  }

  return (
    <div className="flex flex-col gap-16 lg:gap-20">
      <Hero />
      <ReviewFigures />
      <Write invitation={invitation} published={fresh?.count ?? 0} onPublished={onPublished} />
      <ReviewListSection
        filter={filter}
        onFilter={setFilter}
        freshId={fresh?.reviewId}
        toShow={toShow}
      />
      <BookCall />
    </div>
  );
}
