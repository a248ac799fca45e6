import { Code } from '@connectrpc/connect';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { PageSkeleton } from '@/components/page-skeleton';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { Spinner } from '@/components/ui/spinner';
import { useAuth } from '@/lib/auth';
import { describeError } from '@/lib/errors';
import { usePageTitle } from '@/lib/use-page-title';
import { type Paper, useReceipts } from '../hooks/use-receipts';
import { noReceiptReason } from '../no-receipt';
import { headingOf } from '../receipt-lines';
import { isReceiptDue } from '../receipt-schedule';
import { PayerLine } from './payer-line';
import { ReceiptSheet } from './receipt-sheet';

type FrameProps = { title: string; lead?: string; actions?: ReactNode; children?: ReactNode };

/** Of all this only the sheets are printed. */
function Frame({ title, lead, actions, children }: FrameProps) {
  return (
    <div className="container-page flex min-h-[60dvh] flex-col py-10 sm:py-14 print:min-h-0 print:p-0">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 print:max-w-none">
        <PageHeading lead={lead} className="print:hidden">
          {title}
        </PageHeading>
        {actions ? <div className="flex flex-wrap gap-3 print:hidden">{actions}</div> : null}
        {children}
      </div>
    </div>
  );
}

function bookingPath({ booking }: Paper): string {
  return `/booking-flow?service=${booking.serviceId}&b=${booking.bookingId}`;
}

function SignInFirst({ returnTo }: { returnTo: string }) {
  return (
    <Frame title="Your receipt">
      <Card className="flex flex-col items-start gap-5">
        <p>
          A receipt belongs to the account that booked, so that only you can see it. Sign in, and
          you come straight back to this page.
        </p>
        <Button to={`/sign-in?return=${encodeURIComponent(returnTo)}`}>Sign In</Button>
      </Card>
    </Frame>
  );
}

function NotFound({ children }: { children?: ReactNode }) {
  return (
    <Frame
      title="Receipt not found"
      lead="There is no such booking, or it belongs to another account."
    >
      <p className="text-ink-2">
        The link is also in the mail with your receipt. Did you book with another e-mail address?
        Then sign out above, and sign in with that one.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button to="/services">See our services</Button>
        <Button to="/contact" variant="secondary">
          Contact us
        </Button>
      </div>
      {children}
    </Frame>
  );
}

function Writing() {
  return (
    <p role="status" className="flex items-center gap-3 rounded-card bg-brand-soft p-5 text-brand">
      <Spinner />
      The receipt is being written…
    </p>
  );
}

type WaitingProps = { paper: Paper; looking: boolean; onAnew: () => void; onPayer: () => void };

/** There is no receipt: not yet, not before the money is here, or never. */
function Waiting({ paper, looking, onAnew, onPayer }: WaitingProps) {
  const due = isReceiptDue(paper.booking);
  const never = noReceiptReason(paper.booking);
  const toBooking = (
    <Button to={bookingPath(paper)} variant="secondary" size="sm">
      To the booking
    </Button>
  );
  if (due && looking) {
    return (
      <Frame title="Your receipt">
        <Writing />
      </Frame>
    );
  }
  if (due) {
    return (
      <Frame title="Your receipt">
        <Alert
          tone="warn"
          live
          title="The receipt takes longer than usual"
          action={
            <>
              <Button size="sm" onClick={onAnew}>
                Look again
              </Button>
              {toBooking}
            </>
          }
        >
          Your booking stands, and your payment has arrived. The receipt also comes to you by mail.
        </Alert>
      </Frame>
    );
  }
  return (
    <Frame title={never ? 'There is no receipt for this booking' : 'There is no receipt yet'}>
      <Alert action={toBooking}>
        {never ?? 'A receipt is written when a payment has arrived and the booking is confirmed.'}
      </Alert>
      {never ? null : <PayerLine paper={paper} onSaved={onPayer} />}
    </Frame>
  );
}

type SheetsProps = { paper: Paper; onPayer: () => void };

function Sheets({ paper, onPayer }: SheetsProps) {
  const { receipts, booking } = paper;
  const serials = receipts.map(({ serial }) => serial).join(', ');
  // It is also the name under which the browser saves the print as a file.
  usePageTitle(`Receipt ${serials}`);
  return (
    <Frame
      title={headingOf(receipts)}
      lead='To save it, press Print and choose "Save as PDF".'
      actions={
        <>
          <Button onClick={() => window.print()}>Print</Button>
          <Button to={bookingPath(paper)} variant="secondary">
            To the booking
          </Button>
        </>
      }
    >
      <PayerLine paper={paper} onSaved={onPayer} />
      {receipts.map((receipt) => (
        <ReceiptSheet key={receipt.receiptId} receipt={receipt} booking={booking} />
      ))}
    </Frame>
  );
}

/** What stands below a booking that was not found; it is given how to read it again. */
type Missing = (refetch: () => void) => ReactNode;
type AskedProps = {
  bookingId: string;
  userId: string;
  here: string;
  missing?: Missing | undefined;
};

/** The server's answer to a signed-in customer. */
function Asked({ bookingId, userId, here, missing }: AskedProps) {
  const { paper, error, looking, again, anew } = useReceipts(bookingId, userId);
  if (paper && paper.receipts.length > 0) return <Sheets paper={paper} onPayer={again} />;
  if (error) {
    const { code } = describeError(error);
    if (code === Code.NotFound || code === Code.InvalidArgument) {
      return <NotFound>{missing?.(again)}</NotFound>;
    }
    if (code === Code.Unauthenticated) return <SignInFirst returnTo={here} />;
    return (
      <Frame title="Your receipt">
        <ErrorNotice error={error} onRetry={again} />
      </Frame>
    );
  }
  if (paper) return <Waiting paper={paper} looking={looking} onAnew={anew} onPayer={again} />;
  return (
    <Frame title="Your receipt">
      <Skeleton className="h-12 w-full max-w-xs rounded-full" />
      <Skeleton className="h-128 w-full rounded-card" />
    </Frame>
  );
}

/** /receipt?b=<booking>: the receipts of a booking, for its owner. */
export function ReceiptPage({ missing }: { missing?: Missing }) {
  const auth = useAuth();
  const { pathname, search } = useLocation();
  const bookingId = new URLSearchParams(search).get('b') ?? '';
  const here = `${pathname}${search}`;

  if (auth.status === 'unknown') return <PageSkeleton />;
  if (!bookingId) return <NotFound />;
  if (!auth.user) return <SignInFirst returnTo={here} />;
  return <Asked bookingId={bookingId} userId={auth.user.id} here={here} missing={missing} />;
}
