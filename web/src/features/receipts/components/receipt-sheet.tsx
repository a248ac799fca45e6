import type { ReactNode } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Receipt } from '@/gen/payments/v1/payments_service_pb';
import { classes } from '@/lib/classes';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDate, toDate } from '@/lib/time';
import { deskWords } from '../desk-words';
import {
  amountLabel,
  customerOf,
  footnotes,
  howOf,
  isForMoney,
  type Line,
  refundLines,
  sessionLines,
  taxLines,
  titleOf,
} from '../receipt-lines';
import { stateName } from '../states';

type SheetProps = { receipt: Receipt; booking: Booking };

const NAME = 'text-sm text-ink-2';

function Issuer({ receipt }: { receipt: Receipt }) {
  const { issuedBy, issuerAddress, gstin } = receipt;
  return (
    <div className="flex min-w-0 flex-col">
      <p className="font-display text-h3 font-semibold">{issuedBy}</p>
      <p className="max-w-xs text-sm text-ink-2">{issuerAddress}</p>
      {gstin ? <p className="text-sm text-ink-2 numeric">GSTIN {gstin}</p> : null}
    </div>
  );
}

function Head({ receipt, titleId }: { receipt: Receipt; titleId: string }) {
  const zone = usePracticeZone();
  const { serial, issuedAt } = receipt;
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-10 gap-y-6 print:flex-nowrap">
      <Issuer receipt={receipt} />
      <div className="flex flex-col sm:text-right print:text-right">
        <h2 id={titleId} className="text-h2">
          {titleOf(receipt)}
        </h2>
        <p className="font-semibold break-all numeric">{serial}</p>
        {issuedAt ? (
          <p className="text-sm text-ink-2">{formatDate(toDate(issuedAt), zone)}</p>
        ) : null}
      </div>
    </header>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className={NAME}>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The payer, where one is named, or else the client. */
function To({ receipt, booking }: SheetProps) {
  const { payer } = receipt;
  const name = payer?.name || customerOf(booking);
  if (!name) return null;
  return (
    <Fact name={isForMoney(receipt) ? 'Received from' : 'To'}>
      <bdi className="font-semibold break-words">{name}</bdi>
      {payer ? (
        <>
          <span dir="auto" className="block text-sm break-words">
            {payer.address}
          </span>
          <span className="block text-sm">{stateName(payer.stateCode)}</span>
          {payer.gstin ? <span className="block text-sm numeric">GSTIN {payer.gstin}</span> : null}
        </>
      ) : null}
    </Fact>
  );
}

/** The receipt that this one refers to. */
function RefersTo({ receipt }: { receipt: Receipt }) {
  const zone = usePracticeZone();
  const { refersToSerial, refersToIssuedAt } = receipt;
  if (!refersToSerial) return null;
  return (
    <Fact name="Refers to">
      <span className="text-sm numeric">
        {refersToSerial}
        {refersToIssuedAt ? ` of ${formatDate(toDate(refersToIssuedAt), zone)}` : null}
      </span>
    </Fact>
  );
}

function Facts({ receipt, booking }: SheetProps) {
  const zone = usePracticeZone();
  return (
    <dl className="grid gap-x-10 gap-y-5 border-y border-hairline py-6 sm:grid-cols-2 print:grid-cols-2">
      <To receipt={receipt} booking={booking} />
      <Fact name="For">
        <span className="font-semibold">{booking.serviceTitle}</span>
        {sessionLines(booking, zone).map((text) => (
          <span key={text} className="block text-sm numeric">
            {text}
          </span>
        ))}
        <span className="block text-sm">{howOf(booking)}</span>
      </Fact>
      <Fact name="Payment reference">
        <span className="text-sm break-all">
          {deskWords(receipt.paymentId) ?? receipt.paymentId}
        </span>
      </Fact>
      <RefersTo receipt={receipt} />
      <Fact name="Reference">
        <span className="text-sm numeric">{bookingReference(booking.bookingId)}</span>
      </Fact>
      {receipt.serviceCode ? (
        <Fact name="Service accounting code">
          <span className="numeric">{receipt.serviceCode}</span>
        </Fact>
      ) : null}
    </dl>
  );
}

function Row({ label, value, strong, className }: Line & { strong?: boolean; className?: string }) {
  return (
    <tr className={classes(strong && 'text-lg font-semibold', className)}>
      <th scope="row" className={classes('pr-6 text-left', strong ? 'py-3' : 'py-1.5 font-normal')}>
        {label}
      </th>
      <td className="text-right whitespace-nowrap numeric">{value}</td>
    </tr>
  );
}

function Amounts({ receipt }: { receipt: Receipt }) {
  const tax = taxLines(receipt);
  const back = refundLines(receipt);
  return (
    <table className="w-full self-end sm:max-w-sm print:max-w-sm">
      <caption className="sr-only">Amounts of {receipt.serial}</caption>
      <tbody>
        {tax.map((line) => (
          <Row key={line.label} {...line} />
        ))}
        <Row
          label={amountLabel(receipt)}
          value={formatPrice(receipt.amount)}
          strong
          className={classes(
            'border-hairline',
            tax.length > 0 && 'border-t',
            back.length > 0 && 'border-b',
          )}
        />
        {back.map((line) => (
          <Row key={line.label} {...line} />
        ))}
      </tbody>
    </table>
  );
}

/** One receipt: on the screen a sheet of paper, in print the page itself. */
export function ReceiptSheet({ receipt, booking }: SheetProps) {
  const titleId = `receipt-${receipt.receiptId}`;
  return (
    <article
      aria-labelledby={titleId}
      className="flex flex-col gap-8 rounded-card border border-hairline bg-surface p-6 shadow-soft sm:p-10 print:break-inside-avoid print:border-0 print:p-0 print:shadow-none"
    >
      <Head receipt={receipt} titleId={titleId} />
      <Facts receipt={receipt} booking={booking} />
      <Amounts receipt={receipt} />
      <p className="text-sm text-ink-2">{footnotes(receipt).join(' ')}</p>
    </article>
  );
}
