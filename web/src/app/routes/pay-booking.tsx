/**
 * /pay/booking and /session: a booking that was made by phone is read, agreed to and paid, and every one is
 * moved and cancelled by the key of a mail, without an account.
 */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { PageEnded, pageEndOf } from '@/app/pay/page-ended';
import { knownPageKey, rememberPageBooking, rememberPageKey } from '@/app/pay/page-key';
import { PayAgreement } from '@/app/pay/pay-agreement';
import { WrongAddress } from '@/app/pay/pay-states';
import { LazySection } from '@/components/lazy-section';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { readAgainIn } from '@/features/booking/own-sessions/own-booking';
import { chosenIn } from '@/features/booking/own-sessions/proposal';
import { isPlaced } from '@/features/booking/shared/booking-state';
import { sessionRows } from '@/features/booking/shared/components/booking-rows';
import { SummaryList } from '@/features/booking/shared/components/booking-summary';
import { useStepFocus } from '@/features/booking/shared/hooks/use-step-focus';
import { bookingOfPage } from '@/features/booking/shared/page-booking';
import { LinkPanel } from '@/features/payments/components/link-panel';
import {
  isAgreed,
  isPayable,
  usePageCheck,
  usePageLink,
  usePaymentPage,
} from '@/features/payments/hooks/use-payment-page';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { importWithRetry } from '@/lib/import-with-retry';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDateTime, toDate, type Zone } from '@/lib/time';
import { lazyLoader } from '@/lib/use-lazy-module';
import { usePageTitle } from '@/lib/use-page-title';

/** The page of a mail's link, which leads to one session. */
const SESSION = '/session';

function titleOf(page: PaymentPage, place: string): string {
  const isHere = isPlaced(bookingOfPage(page)) && !page.moneyOnly;
  if (place === SESSION && !isPayable(page)) return 'Your Session';
  const isChanging = page.moveProposal || page.pendingCancellation;
  if (isHere) return isChanging ? 'Your Session' : 'Booking Confirmed!';
  if (!isPayable(page)) return 'Your Booking';
  return isAgreed(page) ? 'Complete Your Payment' : 'Confirm Your Booking';
}

function HeldUntil({ page, zone }: { page: PaymentPage; zone: Zone }) {
  const { heldUntilAt } = page;
  if (!heldUntilAt) return null;
  return (
    <p className="rounded-input bg-sun-soft px-4 py-3">
      Your time is held until{' '}
      <strong className="numeric">{formatDateTime(toDate(heldUntilAt), zone)}</strong>.
    </p>
  );
}

type KnownPageProps = { pageKey: string; page: PaymentPage; refetch: () => void };
type PayableProps = KnownPageProps & { booking: Booking; zone: Zone };

function Payable({ pageKey, page, refetch, booking, zone }: PayableProps) {
  const [blocked, setBlocked] = useState<boolean>();
  const agreed = isAgreed(page);
  const link = usePageLink(pageKey, agreed);
  const check = usePageCheck(pageKey, (outcome) => {
    refetch();
    // A link that has ended is followed by another one.
    if (outcome === 'ended') void link.refetch();
  });
  const price = formatPrice(page.price);
  const timer = <HeldUntil page={page} zone={zone} />;
  const rows = [...sessionRows(booking, zone), { label: 'Price', value: price, strong: true }];
  const summary = <SummaryList rows={rows} />;
  if (!agreed) {
    return (
      <div className="flex flex-col gap-6">
        {timer}
        <Card>{summary}</Card>
        <PayAgreement
          pageKey={pageKey}
          page={page}
          booking={booking}
          price={price}
          onOpened={setBlocked}
        />
      </div>
    );
  }
  return (
    <LinkPanel
      model={{
        link: link.data,
        linkError: link.error,
        retryLink: () => void link.refetch(),
        opened: blocked === false,
        blocked: blocked === true,
        check: () => check.mutate(),
        checking: check.isPending,
        outcome: check.data,
        checkError: check.error,
      }}
      price={price}
      reference={bookingReference(page.bookingId)}
      timer={timer}
      summary={summary}
    />
  );
}

/** What comes before the payment does not need it. */
const sessionPage = lazyLoader(
  async () => (await importWithRetry(() => import('@/app/pay/session-page'))).SessionPage,
);

type OpenPageProps = KnownPageProps & { preset: Date | undefined; error: unknown };

function KnownPage(props: OpenPageProps) {
  const { page } = props;
  const zone = usePracticeZone();
  const { pathname } = useLocation();
  const booking = useMemo(() => bookingOfPage(page), [page]);
  // Also in the tab that waits while the booking is paid in another one. What is done afterwards takes the
  // focus by itself.
  useStepFocus(isPayable(page) ? titleOf(page, pathname) : 'paid');
  const { bookingId } = page;
  useEffect(() => rememberPageBooking(bookingId), [bookingId]);
  if (!isPayable(page)) {
    return (
      <LazySection
        code={sessionPage}
        resting={<Skeleton className="h-96 w-full rounded-card" />}
        missing="Your session could not be loaded"
      >
        {(SessionPage) => <SessionPage {...props} booking={booking} />}
      </LazySection>
    );
  }
  return <Payable {...props} booking={booking} zone={zone} />;
}

type FrameProps = { title: string; lead?: ReactNode; children: ReactNode };

function Frame({ title, lead, children }: FrameProps) {
  usePageTitle(title);
  return (
    <div className="container-page py-8 sm:py-12">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading lead={lead}>{title}</PageHeading>
        {children}
      </div>
    </div>
  );
}

/** Once it is paid for, what changes is a cancellation under way, or what staff do. */
function readAgain(page: PaymentPage): number | false {
  return page.moneyOnly ? false : readAgainIn([bookingOfPage(page)]);
}

type PayPageProps = { pageKey: string; preset: Date | undefined };

function PayPage({ pageKey, preset }: PayPageProps) {
  const { pathname } = useLocation();
  const { data: page, error, refetch } = usePaymentPage(pageKey, readAgain);
  const end = error ? pageEndOf(describeError(error).reason) : undefined;
  if (end) {
    return (
      <Frame title="Your Booking">
        <PageEnded pageKey={pageKey} end={end} bookingId={page?.bookingId} />
      </Frame>
    );
  }
  if (page) {
    const lead = page.firstName ? (
      <>
        Welcome, <bdi>{page.firstName}</bdi>.
      </>
    ) : null;
    return (
      <Frame title={titleOf(page, pathname)} lead={lead}>
        <KnownPage {...{ pageKey, page, preset, error }} refetch={() => void refetch()} />
      </Frame>
    );
  }
  const isWrong = error !== null && describeError(error).code === CODE.NotFound;
  return (
    <Frame title="Your Booking">
      {isWrong ? <WrongAddress /> : null}
      {error && !isWrong ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {error ? null : <Skeleton className="h-96 w-full rounded-card" />}
    </Frame>
  );
}

export default function PayBookingPage() {
  const place = useLocation();
  const { hash } = place;
  // Once: a key that has ended is forgotten while its page is shown.
  const pageKey = useMemo(() => knownPageKey(hash), [hash]);
  const preset = useMemo(() => chosenIn(hash), [hash]);
  // The account pages and the provider's lead back here without it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when the same link is opened here.
  useEffect(() => {
    if (pageKey) rememberPageKey(pageKey);
  }, [pageKey, place]);
  if (pageKey) return <PayPage key={pageKey} pageKey={pageKey} preset={preset} />;
  return (
    <Frame title="Your Booking">
      <WrongAddress />
    </Frame>
  );
}
