import { lazy, type RefObject, Suspense, useState } from 'react';
import { RadioGroup } from '@/components/ui/radio-group';
import { useHydrated } from '@/lib/use-hydrated';
import { FILTERS, type FilterName } from '../filter-url';
import { LOADING_REVIEWS } from '../review-words';
import { ReviewListSkeleton } from './review-list-skeleton';

const ReviewList = lazy(async () => ({ default: (await import('./review-list')).ReviewList }));

type ReviewListSectionProps = {
  filter: FilterName;
  onFilter: (filter: FilterName) => void;
  freshId: string | undefined;
  toShow: RefObject<string>;
};

/** The list with its filters; the calls are loaded only after the page stands. */
export function ReviewListSection(props: ReviewListSectionProps) {
  const { filter, onFilter, freshId, toShow } = props;
  const hydrated = useHydrated();
  const [news, setNews] = useState('');
  // Nobody is told about a list that comes with the page.
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
      {hydrated ? (
        <Suspense fallback={<ReviewListSkeleton />}>
          <ReviewList
            key={filter}
            filter={filter}
            freshId={freshId}
            toShow={toShow}
            onNews={setNews}
            onMore={() => setAsked(true)}
          />
        </Suspense>
      ) : (
        <ReviewListSkeleton />
      )}
      <p role="status" className="sr-only">
        {asked ? news : ''}
      </p>
    </section>
  );
}
