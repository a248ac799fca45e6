/** What is left of a page after a cancellation or a session: its money, and nothing of the session. */
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import {
  BookingSummary,
  type SummaryRow,
} from '@/features/booking/shared/components/booking-summary';
import { usePageReceipts } from '@/features/payments/hooks/use-payment-page';
import { titleOf } from '@/features/receipts/receipt-lines';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import type { PageReceipt } from '@/gen/payments/v1/page_payment_service_pb';
import { formatPrice } from '@/lib/money';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDate, toDate, type Zone } from '@/lib/time';

const LINK = 'text-brand underline underline-offset-4';

export function pageMoneyRows(page: PaymentPage, zone: Zone): SummaryRow[] {
  const { paid, refunded, refundComing, refundDueAt, refundOwed, givenByBank } = page;
  const rows: SummaryRow[] = [
    paid
      ? { label: 'Paid', value: formatPrice(paid) }
      : { label: 'Price', value: formatPrice(page.price) },
  ];
  if (refunded) rows.push({ label: 'Refunded', value: formatPrice(refunded) });
  if (refundComing) {
    rows.push({ label: 'To be refunded', value: formatPrice(refundComing) });
    if (refundDueAt) {
      rows.push({ label: 'Should arrive by', value: formatDate(toDate(refundDueAt), zone) });
    }
  }
  if (refundOwed) rows.push({ label: 'We owe you', value: formatPrice(refundOwed) });
  if (givenByBank) rows.push({ label: 'Given by your bank', value: formatPrice(givenByBank) });
  return rows;
}

function receiptRow(receipt: PageReceipt, zone: Zone): SummaryRow {
  const { serial, issuedAt, amount } = receipt;
  const day = issuedAt ? `, ${formatDate(toDate(issuedAt), zone)}` : '';
  return { label: `${titleOf(receipt)} ${serial}${day}`, value: formatPrice(amount) };
}

/** The receipts of a page's booking. */
export function usePageReceiptRows(pageKey: string, zone: Zone): SummaryRow[] {
  const receipts = usePageReceipts(pageKey).data ?? [];
  return receipts.map((receipt) => receiptRow(receipt, zone));
}

/** What became of the booking, in words that say nothing of the session. */
function MoneyWords({ page }: { page: PaymentPage }) {
  if (page.refundOwed) {
    return (
      <Alert tone="warn" title={`We owe you ${formatPrice(page.refundOwed)}`}>
        A refund to you did not go through. The money is still yours: we look for another way to pay
        you, and write to you about it.
      </Alert>
    );
  }
  switch (page.state) {
    case BookingState.EXPIRED:
      return (
        <Alert tone="warn" title="This time is not held any more">
          No payment reached us in time, so we have given the time back. You owe nothing. If you
          have just paid, nothing is lost: we keep asking, and write to you either way.
        </Alert>
      );
    case BookingState.PAID_UNPLACED:
      return (
        <Alert tone="error" title="Your payment came after the time was gone">
          All of it goes back to you. Our mail to you says how.
        </Alert>
      );
    case BookingState.CANCELLED:
      return (
        <Alert tone="warn" title="This booking was cancelled">
          {page.refundComing
            ? 'Your money goes back to you. Our mail to you says how, and by when.'
            : 'If something was to be paid back, we have written to you about it.'}
        </Alert>
      );
    default:
      return (
        <Alert tone="info" title="This booking is over">
          Here is what was paid. To protect you, this page says no more about it.
        </Alert>
      );
  }
}

export function PageMoney({
  pageKey,
  page,
  zone,
  isSaid,
}: {
  pageKey: string;
  page: PaymentPage;
  zone: Zone;
  /** What became of the booking stands above already. */
  isSaid: boolean;
}) {
  const { email, phone } = usePractice();
  const receipts = usePageReceiptRows(pageKey, zone);
  const reference = bookingReference(page.bookingId);
  const rows = [
    ...pageMoneyRows(page, zone),
    { label: 'Reference', value: <span className="numeric">{reference}</span> },
    ...receipts,
  ];
  const about = encodeURIComponent(`Refund of ${reference}`);
  return (
    <div className="flex flex-col gap-6">
      {isSaid ? null : <MoneyWords page={page} />}
      <BookingSummary title="Your Money" rows={rows}>
        {receipts.length > 0 ? (
          <p className="text-sm text-ink-2">We mailed you each receipt when it was issued.</p>
        ) : null}
      </BookingSummary>
      {page.paid ? (
        <p className="text-sm text-ink-2">
          To ask for a refund, write to{' '}
          <a href={`mailto:${email}?subject=${about}`} className={LINK}>
            {email}
          </a>{' '}
          or call{' '}
          <a href={`tel:${phone}`} className={LINK}>
            {formatPhone(phone)}
          </a>
          , and quote <span className="numeric">{reference}</span>.
        </p>
      ) : null}
      <div className="flex flex-wrap gap-3">
        <Button href={`tel:${phone}`} size="sm">
          Call us
        </Button>
        <Button to="/book" variant="secondary" size="sm">
          Choose a time
        </Button>
      </div>
    </div>
  );
}
