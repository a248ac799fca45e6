/** The steps of /book behind its first view; loaded when a time was chosen or a booking is opened. */
import { type ReactNode, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { Stepper } from '@/components/ui/stepper';
import type { BookUrl } from '@/features/booking/book-page/book-url';
import { DetailsScreen } from '@/features/booking/book-page/components/details-screen';
import { LostNotice } from '@/features/booking/book-page/components/lost-notice';
import { type Book, useBook } from '@/features/booking/book-page/hooks/use-book';
import { isEnded } from '@/features/booking/shared/booking-state';
import { titleOfReading } from '@/features/booking/shared/components/ended-panel';
import { useStepFocus } from '@/features/booking/shared/hooks/use-step-focus';
import type { RefusedTimes } from '@/features/booking/shared/refused-times';
import { type ClientConsent, useClientConsent } from '@/features/consent/hooks/use-client-consent';
import { useOpenLink } from '@/features/payments/hooks/use-payment-link';
import { openPaymentTab } from '@/features/payments/payment-tab';
import { useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import { usePageTitle } from '@/lib/use-page-title';
import type { UrlMoves } from '@/lib/use-url-state';
import { AuthScreen } from './auth-screen';
import { ConsentStep } from './consent-step';

const STEPS = [
  { id: 'consent', label: 'Consent' },
  { id: 'auth', label: 'Sign In' },
  { id: 'details', label: 'Details' },
  { id: 'payment', label: 'Payment' },
  { id: 'confirmation', label: 'Confirmation' },
] as const;

const TITLES: Record<Exclude<Book['step'], 'calendar'>, string> = {
  consent: 'Consent to Online Session',
  auth: 'Sign In Required',
  details: 'Booking Details',
  payment: 'Complete Your Payment',
  confirmation: 'Booking Confirmed!',
};

function titleOf({ step, reading, asking }: Book, refundDays: string): string {
  if (step === 'calendar') return 'Book a Session';
  if (asking) return 'Your Booking';
  const isOfBooking = step === 'payment' || step === 'confirmation';
  return (isOfBooking && titleOfReading(reading, refundDays)) || TITLES[step];
}

/** The payment and what follows it come when they are needed: the steps before are lighter. */
const linkScreen = lazyLoader(
  async () => (await importWithRetry(() => import('./link-screen'))).LinkScreen,
);
const confirmationScreen = lazyLoader(
  async () => (await importWithRetry(() => import('./confirmation-screen'))).ConfirmationScreen,
);

const resting = <Skeleton className="h-96 w-full rounded-card" />;

type ScreenProps = {
  book: Book;
  consent: ClientConsent;
  onLost: (lost: RefusedTimes) => void;
  /** Whether the browser refused the tab of the payment; unknown where this page has opened none. */
  blocked: boolean | undefined;
  onOpened: (blocked: boolean) => void;
};

function Screen({ book, consent, onLost, blocked, onOpened }: ScreenProps) {
  const payment = { openTab: openPaymentTab, openLink: useOpenLink() };
  if (book.asking) return resting;
  switch (book.step) {
    case 'consent':
      return <ConsentStep book={book} consent={consent} />;
    case 'auth':
      return <AuthScreen book={book} consent={consent} />;
    case 'details':
      return <DetailsScreen book={book} payment={payment} onLost={onLost} onOpened={onOpened} />;
    case 'payment':
      return (
        <LazySection
          key="payment"
          code={linkScreen}
          resting={resting}
          missing="The payment could not be shown"
        >
          {(LinkScreen) => <LinkScreen book={book} blocked={blocked} />}
        </LazySection>
      );
    default:
      return (
        <LazySection
          key="confirmation"
          code={confirmationScreen}
          resting={resting}
          missing="Your booking could not be shown"
        >
          {(ConfirmationScreen) => <ConfirmationScreen book={book} consent={consent} />}
        </LazySection>
      );
  }
}

type BookStepsProps = {
  moves: UrlMoves<BookUrl>;
  /** The first view, which the steps lead back to with a notice, or with dates to choose again. */
  start: (notice: ReactNode, refused?: RefusedTimes) => ReactNode;
  /** The first view was shown before the steps. */
  fromStart: boolean;
};

export function BookSteps({ moves, start, fromStart }: BookStepsProps) {
  const consent = useClientConsent(useAuth().user);
  const book = useBook(moves, consent);
  const { step, reading } = book;
  const [blocked, setBlocked] = useState<boolean>();
  // Chosen times that were taken meanwhile, until the client goes on.
  const [lost, setLost] = useState<RefusedTimes>();
  if (lost && step !== 'calendar') setLost(undefined);
  const title = titleOf(book, usePractice().refundDaysText);
  usePageTitle(title);
  useStepFocus(step, fromStart ? 'calendar' : undefined);
  if (step === 'calendar') {
    const [first = ''] = lost?.starts ?? [];
    // The dates of a package say themselves which of them are gone.
    const notice = lost && !moves.url.packageId;
    return start(notice ? <LostNotice key={first} lost={lost} moves={moves} /> : null, lost);
  }
  const isOver = reading.isMissing || isEnded(reading.booking);
  const narrow = step !== 'confirmation' || isOver;
  return (
    <div className="container-page flex flex-col gap-8 py-8 sm:py-12">
      {isOver || book.asking ? null : (
        <Stepper steps={STEPS} current={step} label="Booking steps" />
      )}
      <div className={narrow ? 'mx-auto flex w-full max-w-3xl flex-col gap-8' : 'contents'}>
        <PageHeading>{title}</PageHeading>
        <Screen
          book={book}
          consent={consent}
          onLost={setLost}
          blocked={blocked}
          onOpened={setBlocked}
        />
      </div>
    </div>
  );
}
