import { type RefObject, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { RadioGroup } from '@/components/ui/radio-group';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { FILTERS, type FilterName } from '../filter-url';
import { LOADING_REVIEWS } from '../review-messages';
import { ReviewListSkeleton } from './review-list-skeleton';

const reviewList = lazyLoader(
  async () => (await importWithRetry(() => import('./review-list'))).ReviewList,
);

type ReviewListSectionProps = {
  filter: FilterName;
  onFilter: (filter: FilterName) => void;
  freshId: string | undefined;
  toShow: RefObject<string>;
};

/** The list with its filters; its code is loaded after the page is hydrated. */
export function ReviewListSection(props: ReviewListSectionProps) {
  const { filter, onFilter, freshId, toShow } = props;
  const [news, setNews] = useState('');
  // A list that comes with the page is not announced.
  const [asked, setAsked] = useState(false);

  function choose(next: FilterName) {
    setAsked(true);
    setNews(LOADING_REVIEWS);
    onFilter(next);
  }

  return (
    <section
      id="reviews"
      aria-labelledby="list-title"
      className="container-page flex scroll-mt-28 flex-col gap-6"
    >
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <div className="flex flex-col gap-2">
          <h2 id="list-title" className="text-h2">
            What people say
          </h2>
          <p className="text-ink-2">
            Newest first, just as they were written. “Verified” means that the writer has had a
            session with us.
          </p>
        </div>
        <RadioGroup
          legend="Which reviews to show"
          legendHidden
          name="filter"
          options={FILTERS}
          value={filter}
          onChange={(value) => choose(value as FilterName)}
        />
      </div>
      <LazySection
        code={reviewList}
        resting={<ReviewListSkeleton />}
        missing="The reviews could not be loaded"
      >
        {(ReviewList) => (
          <ReviewList
            key={filter}
            filter={filter}
            freshId={freshId}
            toShow={toShow}
            onNews={setNews}
            onMore={() => setAsked(true)}
          />
        )}
      </LazySection>
      <p role="status" className="sr-only">
        {asked ? news : ''}
      </p>
    </section>
  );
}
