/** /book: the free times, then consent, sign-in, details, payment and confirmation. */
import { type ReactNode, useEffect, useState } from 'react';
import { BookStart } from '@/app/book-page/book-start';
import { LazySection } from '@/components/lazy-section';
import { Skeleton } from '@/components/ui/skeleton';
import {
  type BookUrl,
  bookPath,
  NOTHING_CHOSEN,
  parseBookUrl,
} from '@/features/booking/book-page/book-url';
import { readHeldAnywhere } from '@/features/booking/book-page/held-anywhere';
import type { RefusedTimes } from '@/features/booking/shared/refused-times';
import { takePrefill } from '@/features/consent/take-prefill';
import { useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { useHydrated } from '@/lib/use-hydrated';
import { lazyLoader } from '@/lib/use-lazy-module';
import { useUrlState } from '@/lib/use-url-state';

const FORM = { parse: parseBookUrl, write: bookPath };

/**
 * All steps are one chunk: a client who has paid can't miss the last steps' code when the connection
 * is lost.
 */
const bookSteps = lazyLoader(
  async () => (await importWithRetry(() => import('@/app/book-page/book-steps'))).BookSteps,
);
const keptBooking = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/booking/book-page/components/kept-booking')))
      .KeptBooking,
);

/** Whether the address leads past the first view. */
function isUnderWay({ step, bookingId, cancelled }: BookUrl): boolean {
  return bookingId !== '' || (step !== undefined && !cancelled);
}

function StepsFrame({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className="container-page flex flex-col gap-8 py-8 sm:py-12" aria-busy={busy}>
      <h1 tabIndex={-1} className="text-h1">
        Your Booking
      </h1>
      {children}
    </div>
  );
}

function StepsSkeleton() {
  return (
    <StepsFrame busy>
      <Skeleton className="mx-auto h-96 w-full max-w-3xl rounded-card" />
    </StepsFrame>
  );
}

export default function BookPage() {
  const hydrated = useHydrated();
  const moves = useUrlState(FORM);
  const { user } = useAuth();
  const [fromStart] = useState(() => !isUnderWay(moves.url));
  const [entered, setEntered] = useState(false);
  // The steps come later, so what was taken is in the draft when their form reads it.
  useEffect(takePrefill, []);
  const url = hydrated ? moves.url : NOTHING_CHOSEN;
  const underWay = isUnderWay(url);
  // Once a step was shown, what was typed in it stays, also behind the first view.
  if (underWay && !entered) setEntered(true);

  const kept =
    hydrated && user && readHeldAnywhere() ? (
      <LazySection code={keptBooking} resting={null} missing="Your held time could not be read">
        {(KeptBooking) => <KeptBooking userId={user.id} moves={moves} />}
      </LazySection>
    ) : null;
  const start = (notice: ReactNode, refused?: RefusedTimes) => (
    <BookStart
      url={url}
      moves={moves}
      refused={refused}
      notice={
        <>
          {notice}
          {kept}
        </>
      }
    />
  );
  if (!entered) return start(null);
  return (
    <LazySection
      code={bookSteps}
      resting={underWay ? <StepsSkeleton /> : start(null)}
      missing="The next step could not be loaded"
      around={(notice) => <StepsFrame busy={false}>{notice}</StepsFrame>}
    >
      {(BookSteps) => <BookSteps moves={moves} start={start} fromStart={fromStart} />}
    </LazySection>
  );
}
