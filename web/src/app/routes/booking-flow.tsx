/** /booking-flow: five steps from the choice of a time to a confirmed session. */

import { useEffect } from 'react';
import { BookingScreen } from '@/app/booking-flow/booking-screen';
import { isRememberedBooking } from '@/app/pay/page-key';
import { LazySection } from '@/components/lazy-section';
import { PageSkeleton } from '@/components/page-skeleton';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { Stepper } from '@/components/ui/stepper';
import { type Flow, useFlow } from '@/features/booking/booking-flow/hooks/use-flow';
import { FREE_STEPS, STEP_TITLES, STEPS } from '@/features/booking/booking-flow/steps';
import { isEnded } from '@/features/booking/shared/booking-state';
import { titleOfReading } from '@/features/booking/shared/components/ended-panel';
import { isFree, priceWords } from '@/features/booking/shared/free-session';
import { useStepFocus } from '@/features/booking/shared/hooks/use-step-focus';
import {
  type CheckoutAnswering,
  useCheckoutAnswer,
} from '@/features/payments/hooks/use-checkout-answer';
import { importWithRetry } from '@/lib/import-with-retry';
import { formatPrice } from '@/lib/money';
import { usePractice } from '@/lib/practice';
import { useGo } from '@/lib/use-go';
import { lazyLoader } from '@/lib/use-lazy-module';

/** The booking that the step shows, as far as it is known. */
function shownBooking({ step, booking, reading }: Flow) {
  if (step === 'auth' || step === 'calendar-terms') return 'no booking';
  if (booking) return isEnded(booking) ? 'ended' : 'live';
  return reading.isMissing ? 'missing' : 'unknown';
}

function titleOf(flow: Flow, refundDays: string): string {
  const { step, user, reading } = flow;
  if (step === 'auth') return user ? "You're Signed In!" : STEP_TITLES.auth;
  const isOfBooking = step !== 'calendar-terms';
  return (isOfBooking && titleOfReading(reading, refundDays)) || STEP_TITLES[step];
}

/**
 * The code of the sign-in and of the calendar is loaded with its step. The steps that follow a payment are loaded with the
 * page, so that a lost connection cannot take them from a customer who has paid.
 */
const scheduleScreen = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/app/booking-flow/schedule-screen'))).ScheduleScreen,
);
const signInScreen = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/app/booking-flow/sign-in-screen'))).SignInScreen,
);
const RESTING = <Skeleton className="h-96 w-full rounded-card" />;

function useDocumentTitle(title: string): void {
  const { name } = usePractice();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

type ScreenProps = { flow: Flow; answer: CheckoutAnswering };

function Screen({ flow, answer }: ScreenProps) {
  const { step, service } = flow;
  if (step === 'auth') {
    return (
      <LazySection
        key="auth"
        code={signInScreen}
        resting={RESTING}
        missing="This step could not be loaded"
      >
        {(SignInScreen) => <SignInScreen flow={flow} free={isOfFree(flow)} />}
      </LazySection>
    );
  }
  if (step !== 'calendar-terms') return <BookingScreen flow={flow} answer={answer} />;
  if (service.status === 'known') {
    return (
      <LazySection
        key="calendar"
        code={scheduleScreen}
        resting={RESTING}
        missing="The calendar could not be loaded"
      >
        {(ScheduleScreen) => <ScheduleScreen flow={flow} service={service.service} />}
      </LazySection>
    );
  }
  if (service.status === 'failed') {
    return <ErrorNotice error={service.error} onRetry={service.retry} />;
  }
  return RESTING;
}

function leadOf(flow: Flow): string | undefined {
  const { service, booking, step } = flow;
  if (shownBooking(flow) === 'live' && step === 'confirmed') {
    return 'Thank you. Here is everything you need for your session.';
  }
  if (booking || shownBooking(flow) !== 'no booking' || service.status !== 'known') return;
  const { title, durationText } = service.service;
  const { offer } = flow;
  if (offer) {
    const what = `${offer.title} · ${title} · ${offer.sessions} sessions`;
    return `${what} ·\u00a0${formatPrice(offer.price)}`;
  }
  return `${title} · ${durationText} ·\u00a0${priceWords(service.service)}`;
}

/** Whether what is booked costs nothing, as far as that is known. */
function isOfFree({ booking, service }: Flow): boolean {
  if (booking) return isFree(booking);
  return service.status === 'known' && isFree(service.service);
}

/** Steps with one column of reading width. */
const NARROW: ReadonlySet<string> = new Set(['auth', 'calendar-terms', 'confirmation']);

function FlowPage({ flow, answer }: ScreenProps) {
  const title = titleOf(flow, usePractice().refundDaysText);
  useDocumentTitle(title);
  useStepFocus(flow.step);
  const of = shownBooking(flow);
  const isOver = of === 'ended' || of === 'missing';
  const narrow = NARROW.has(flow.step) || isOver;
  return (
    <div className="container-page flex flex-col gap-8 py-8 sm:py-12">
      {/* Without an answer no step is done; what has ended, or is not there, is in none. */}
      {isOver ? null : (
        <Stepper
          steps={isOfFree(flow) ? FREE_STEPS : STEPS}
          current={of === 'unknown' ? '' : flow.step}
          label="Booking steps"
        />
      )}
      <div className={narrow ? 'mx-auto flex w-full max-w-3xl flex-col gap-8' : 'contents'}>
        <PageHeading lead={leadOf(flow)}>{title}</PageHeading>
        <Screen flow={flow} answer={answer} />
      </div>
    </div>
  );
}

export default function BookingFlowPage() {
  const flow = useFlow();
  const answer = useCheckoutAnswer(flow.moves.url.bookingId);
  const go = useGo();
  const unknown = flow.service.status === 'unknown';
  const asking = flow.service.status === 'loading' && flow.moves.url.bookingId === '';

  // The provider's page leads back here; who paid without an account has a page of that booking.
  const isOfPage =
    flow.auth.status === 'signed-out' && isRememberedBooking(flow.moves.url.bookingId);

  useEffect(() => {
    if (isOfPage) go('/pay/booking', { replace: true });
    else if (unknown) go('/services', { replace: true });
  }, [unknown, isOfPage, go]);

  if (isOfPage || unknown || asking || flow.auth.status === 'unknown') return <PageSkeleton />;
  return <FlowPage flow={flow} answer={answer} />;
}
