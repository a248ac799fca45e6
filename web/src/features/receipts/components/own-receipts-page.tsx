/** /account/receipts: all receipts of a financial year in one list, to be printed as one. */
import { useSearchParams } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import type { ListOwnReceiptsResponse, Receipt } from '@/gen/payments/v1/payments_service_pb';
import { useAuth } from '@/lib/auth';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDate, toDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { useOwnReceipts } from '../hooks/use-own-receipts';
import { type Sum, sumsOf, yearIn, yearName } from '../own-receipts';
import { titleOf } from '../receipt-lines';

const CELL = 'py-2.5 pr-4 text-left align-top';
const LINK = 'font-semibold text-brand hover:underline print:text-ink';

function Row({ receipt }: { receipt: Receipt }) {
  const zone = usePracticeZone();
  const { issuedAt, refunded, bookingId, serial } = receipt;
  const back = refunded && refunded.minorUnits > 0n ? formatPrice(refunded) : undefined;
  return (
    <tr className="border-t border-hairline">
      <th scope="row" className={`${CELL} font-normal`}>
        <AppLink to={`/receipt?b=${bookingId}`} className={`${LINK} inline-block min-h-6 numeric`}>
          {serial}
        </AppLink>
        <span className="block text-sm text-ink-2">
          {titleOf(receipt)}
          {issuedAt ? `, ${formatDate(toDate(issuedAt), zone)}` : ''}
        </span>
        <span className="block text-sm text-ink-2 numeric">
          Booking {bookingReference(bookingId)}
        </span>
      </th>
      <td className="py-2.5 text-right align-top numeric">
        {formatPrice(receipt.amount)}
        {back ? <span className="block text-sm text-ink-2">{back} went back</span> : null}
      </td>
    </tr>
  );
}

function SumRow({ sum }: { sum: Sum }) {
  const { currencyCode, paid, back } = sum;
  const money = (minorUnits: bigint) => formatPrice({ minorUnits, currencyCode });
  return (
    <tr className="border-t border-hairline text-lg font-semibold">
      <th scope="row" className={CELL}>
        Paid in all
      </th>
      <td className="py-2.5 text-right numeric">
        {money(paid)}
        {back > 0n ? (
          <span className="block text-base font-normal text-ink-2">{money(back)} went back</span>
        ) : null}
      </td>
    </tr>
  );
}

type YearsProps = { years: readonly number[]; shown: number };

function Years({ years, shown }: YearsProps) {
  if (years.length < 2) return null;
  return (
    <nav aria-label="Financial years" className="flex flex-wrap gap-x-5 gap-y-1 print:hidden">
      {years.map((year) => (
        <AppLink
          key={year}
          to={`/account/receipts?year=${year}`}
          aria-current={year === shown ? 'page' : undefined}
          className="inline-flex min-h-11 items-center text-brand hover:underline aria-[current]:font-semibold"
        >
          {yearName(year)}
        </AppLink>
      ))}
    </nav>
  );
}

function Sheet({ list }: { list: ListOwnReceiptsResponse }) {
  const { receipts, financialYear, financialYears, hasMore } = list;
  const title = `Receipts ${yearName(financialYear)}`;
  // It is also the name under which the browser saves the print as a file.
  usePageTitle(title);
  const issuer = receipts.at(-1);
  return (
    <>
      <Years years={financialYears} shown={financialYear} />
      {hasMore ? (
        <Alert tone="warn" title="There are more than fit here">
          The first thousand are listed. Write to us, and we send you the rest.
        </Alert>
      ) : null}
      <div className="flex flex-wrap gap-3 print:hidden">
        <Button onClick={() => window.print()}>Print</Button>
      </div>
      <article className="flex flex-col gap-5 rounded-card border border-hairline bg-surface p-6 shadow-soft sm:p-10 print:border-0 print:p-0 print:shadow-none">
        <header className="flex flex-col">
          <h2 className="text-h2">{title}</h2>
          <p className="text-ink-2">
            April {financialYear} to March {financialYear + 1}
          </p>
          {issuer ? (
            <p className="mt-3 text-sm text-ink-2">
              {issuer.issuedBy}, {issuer.issuerAddress}
              {issuer.gstin ? `, GSTIN ${issuer.gstin}` : ''}
            </p>
          ) : null}
        </header>
        {receipts.length === 0 ? <p>There are no receipts of this year.</p> : null}
        {receipts.length > 0 ? (
          <table className="w-full">
            <caption className="sr-only">{title}</caption>
            <tbody>
              {receipts.map((receipt) => (
                <Row key={receipt.receiptId} receipt={receipt} />
              ))}
            </tbody>
            {/* No table foot: browsers print that under the rows of every sheet. */}
            <tbody>
              {sumsOf(receipts).map((sum) => (
                <SumRow key={sum.currencyCode} sum={sum} />
              ))}
            </tbody>
          </table>
        ) : null}
      </article>
    </>
  );
}

function NoneYet() {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>You have no receipts yet. A receipt is written when a payment has arrived.</p>
      <Button to="/account/sessions" variant="secondary">
        Your sessions
      </Button>
    </Card>
  );
}

function Asked({ userId }: { userId: string }) {
  const [query] = useSearchParams();
  const { data, error, refetch } = useOwnReceipts(userId, yearIn(query));
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-128 w-full rounded-card" />;
  return data.financialYears.length === 0 ? <NoneYet /> : <Sheet list={data} />;
}

function SignInFirst() {
  const back = encodeURIComponent('/account/receipts');
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>Sign in to see your receipts. Only you can see them.</p>
      <Button to={`/sign-in?return=${back}`}>Sign In</Button>
    </Card>
  );
}

export function OwnReceiptsPage() {
  const { status, user } = useAuth();
  return (
    <div className="container-page flex min-h-[60dvh] flex-col py-10 sm:py-14 print:min-h-0 print:p-0">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 print:max-w-none">
        <PageHeading
          lead="Of a financial year, in one list that you can print."
          className="print:hidden"
        >
          Your Receipts
        </PageHeading>
        {status === 'signed-out' ? <SignInFirst /> : null}
        {status === 'unknown' ? <Skeleton className="h-128 w-full rounded-card" /> : null}
        {user ? <Asked key={user.id} userId={user.id} /> : null}
      </div>
    </div>
  );
}
