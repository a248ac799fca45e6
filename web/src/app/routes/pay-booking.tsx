/** /pay/booking: a booking that was made by phone is read, agreed to and paid, without an account. */
import { create } from '@bufbuild/protobuf';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { PageEnded, pageEndOf } from '@/app/pay/page-ended';
import { knownPageKey, rememberPageBooking, rememberPageKey } from '@/app/pay/page-key';
import { PageMoney } from '@/app/pay/page-money';
import { PayAgreement } from '@/app/pay/pay-agreement';
import { PaidPage, WrongAddress } from '@/app/pay/pay-states';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { isPlaced } from '@/features/booking/shared/booking-state';
import { sessionRows } from '@/features/booking/shared/components/booking-rows';
import { SummaryList } from '@/features/booking/shared/components/booking-summary';
import { useStepFocus } from '@/features/booking/shared/hooks/use-step-focus';
import { LinkPanel } from '@/features/payments/components/link-panel';
import {
  isAgreed,
  isPayable,
  usePageCheck,
  usePageLink,
  usePaymentPage,
} from '@/features/payments/hooks/use-payment-page';
import { type Booking, BookingSchema } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDateTime, toDate, type Zone } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';

/** The page as a booking, for the parts that show one. */
function bookingOf(page: PaymentPage): Booking {
  return create(BookingSchema, {
    bookingId: page.bookingId,
    serviceTitle: page.serviceTitle,
    sessions: page.sessions,
    timeZone: page.timeZone,
    mode: page.mode,
    location: page.location,
    practitionerName: page.practitionerName,
    state: page.state,
    paymentState: page.paymentState,
    ...(page.package ? { package: page.package } : {}),
    ...(page.price ? { price: page.price } : {}),
    ...(page.cancellationPolicy ? { cancellationPolicy: page.cancellationPolicy } : {}),
    ...(page.heldUntilAt ? { heldUntilAt: page.heldUntilAt } : {}),
  });
}

function titleOf(page: PaymentPage): string {
  if (page.moneyOnly) return 'Your Booking';
  if (isPlaced(bookingOf(page))) return 'Booking Confirmed!';
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

function KnownPage({ pageKey, page, refetch }: KnownPageProps) {
  const zone = usePracticeZone();
  const booking = useMemo(() => bookingOf(page), [page]);
  // Also in the tab that waits while the booking is paid in another one.
  useStepFocus(titleOf(page));
  const { bookingId } = page;
  useEffect(() => rememberPageBooking(bookingId), [bookingId]);
  if (isPlaced(booking) && !page.moneyOnly) {
    return <PaidPage {...{ pageKey, page, booking, zone, refetch }} />;
  }
  if (!isPayable(page)) return <PageMoney {...{ pageKey, page, zone }} />;
  return <Payable pageKey={pageKey} page={page} refetch={refetch} booking={booking} zone={zone} />;
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

function PayPage({ pageKey }: { pageKey: string }) {
  const { data: page, error, refetch } = usePaymentPage(pageKey);
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
      <Frame title={titleOf(page)} lead={lead}>
        <KnownPage pageKey={pageKey} page={page} refetch={() => void refetch()} />
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
  const { hash } = useLocation();
  // Once: a key that has ended is forgotten while its page is shown.
  const pageKey = useMemo(() => knownPageKey(hash), [hash]);
  // The account pages and the provider's lead back here without it.
  useEffect(() => {
    if (pageKey) rememberPageKey(pageKey);
  }, [pageKey]);
  if (pageKey) return <PayPage key={pageKey} pageKey={pageKey} />;
  return (
    <Frame title="Your Booking">
      <WrongAddress />
    </Frame>
  );
}
