import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Skeleton } from '@/components/ui/skeleton';
import type { StaffReview } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { useDebounced } from '../hooks/use-debounced';
import type { Grant } from '../hooks/use-grant';
import { useRemoval } from '../hooks/use-removal';
import {
  type Filters,
  isFiltered,
  NO_FILTERS,
  type StaffReviews,
  useStaffReviews,
} from '../hooks/use-staff-reviews';
import { FilterBar } from './filter-bar';
import { ReviewRow } from './review-row';

const TYPING_MS = 300;

function idOf({ review }: StaffReview): string {
  return review?.reviewId ?? '';
}

/** "20 reviews shown, newest first. There are more." */
function countText(count: number, hasMore: boolean, filtered: boolean): string {
  if (count === 0 && hasMore) return 'There are more reviews.';
  if (count === 0) return filtered ? 'No review fits.' : 'There are no reviews yet.';
  const shown = count === 1 ? 'One review shown' : `${count} reviews shown, newest first`;
  return hasMore ? `${shown}. There are more.` : `${shown}.`;
}

function Loading() {
  return (
    <div className="flex flex-col gap-3">
      <p className="sr-only">Loading reviews...</p>
      {['first', 'second', 'third'].map((row) => (
        <Skeleton key={row} className="h-44 w-full rounded-card" />
      ))}
    </div>
  );
}

/** The list, and focus on one of its rows after the next rendering. */
function useRows() {
  const place = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<{ id: string }>();
  const focusRow = useCallback((id: string) => setTarget({ id }), []);
  useEffect(() => {
    if (!target) return;
    const row = place.current?.querySelector<HTMLElement>(`[data-review="${target.id}"]`);
    (row ?? place.current?.querySelector<HTMLElement>('h3'))?.focus();
  }, [target]);
  return { place, focusRow };
}

/** Ctrl Z outside of text fields, where it would undo typing. */
function useUndoKey(undo: () => void): void {
  const latest = useRef(undo);
  useEffect(() => {
    latest.current = undo;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'z' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      if ((event.target as HTMLElement).closest('input, select, textarea')) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Goes on with the next page when everything that was read is deleted. */
function useNextWhenEmpty(
  { reviews, stale, error, hasMore, ...more }: StaffReviews,
  count: number,
) {
  const { loadingMore, loadMore } = more;
  const empty = reviews !== undefined && !stale && count === 0;
  const wanted = empty && hasMore && !error && !loadingMore;
  useEffect(() => {
    if (wanted) void loadMore();
  }, [wanted, loadMore]);
  return empty && !hasMore;
}

type RowsProps = { list: StaffReviews; shown: StaffReview[]; onDelete: (index: number) => void };

function Rows({ list, shown, onDelete }: RowsProps) {
  if (list.error && !list.reviews) {
    return <ErrorNotice error={list.error} onRetry={list.refetch} />;
  }
  if (!list.reviews) return <Loading />;
  return (
    <ul aria-busy={list.stale} className="flex flex-col gap-3">
      {shown.map((listed, index) => (
        <ReviewRow key={idOf(listed)} listed={listed} onDelete={() => onDelete(index)} />
      ))}
    </ul>
  );
}

/** All reviews, newest first, each of which can be deleted. */
export function ReviewList({ grant }: { grant: Grant }) {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const query = useDebounced(filters.query.trim(), TYPING_MS);
  const list = useStaffReviews(grant, { ...filters, query });
  const { place, focusRow } = useRows();
  const removal = useRemoval(grant, { onReturn: focusRow, onRestored: list.refetch });
  useUndoKey(removal.undo);

  // The panel was just unlocked.
  useEffect(() => focusRow(''), [focusRow]);

  const shown = (list.reviews ?? []).filter((listed) => !removal.gone.has(idOf(listed)));
  const filtered = isFiltered(filters);
  const nothing = useNextWhenEmpty(list, shown.length);
  const count = list.stale ? 'Searching…' : countText(shown.length, list.hasMore, filtered);

  function remove(index: number) {
    const listed = shown[index];
    const neighbour = shown[index + 1] ?? shown[index - 1];
    if (listed) removal.remove({ reviewId: idOf(listed), name: listed.review?.name ?? '' });
    focusRow(neighbour ? idOf(neighbour) : '');
  }

  async function loadMore() {
    const [first] = await list.loadMore();
    if (first) focusRow(idOf(first));
  }

  return (
    <div ref={place} className="flex flex-col gap-5">
      <FilterBar
        filters={filters}
        onChange={(change) => setFilters((was) => ({ ...was, ...change }))}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 tabIndex={-1} className="text-h3 outline-none">
          Reviews
        </h3>
        <p role="status" className="text-sm text-ink-2 numeric">
          {list.reviews ? count : ''}
        </p>
      </div>
      <p className="sr-only">For ten seconds after a deletion, Undo or Control Z takes it back.</p>
      <Rows list={list} shown={shown} onDelete={remove} />
      {filtered && nothing ? (
        <Button variant="secondary" size="sm" onClick={() => setFilters(NO_FILTERS)}>
          Show all reviews
        </Button>
      ) : null}
      {list.error && list.reviews ? <ErrorNotice error={list.error} /> : null}
      {list.hasMore && !list.stale ? (
        <Button
          variant="secondary"
          busy={list.loadingMore}
          busyText="Loading…"
          onClick={() => void loadMore()}
        >
          Load more
        </Button>
      ) : null}
    </div>
  );
}
