/** A receipt's amounts as lines, and its words. */
import { type Booking, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { type Receipt, TaxMode } from '@/gen/payments/v1/payments_service_pb';
import { formatMoney, formatPrice } from '@/lib/money';
import { formatDate, formatTimeRange, toDate, type Zone } from '@/lib/time';

export type Line = { label: string; value: string };

const HALVES = 2;

/** "9" for 18, "2.5" for 5. */
function halfOf(percent: number): string {
  const whole = Math.floor(percent / HALVES);
  return percent % HALVES === 0 ? `${whole}` : `${whole}.5`;
}

const RECEIPT = ['Receipt', 'Amount paid'] as const;

/** What a paper is called, and what its amount is, by its kind. */
const WORDS: Record<string, readonly [title: string, amount: string]> = {
  receipt: RECEIPT,
  receipt_voucher: ['Receipt voucher', 'Amount paid'],
  tax_invoice: ['Tax invoice', 'Total'],
  bill_of_supply: ['Bill of supply', 'Total'],
  refund_voucher: ['Refund voucher', 'Amount given back'],
  credit_note: ['Credit note', 'Amount given back'],
};

function wordsOf({ kind }: { kind: string }): readonly [title: string, amount: string] {
  return WORDS[kind] ?? RECEIPT;
}

export function titleOf(receipt: { kind: string }): string {
  return wordsOf(receipt)[0];
}

export function amountLabel(receipt: Receipt): string {
  return wordsOf(receipt)[1];
}

export function isForMoney(receipt: Receipt): boolean {
  return amountLabel(receipt) === RECEIPT[1];
}

/** Over all papers of a booking. */
export function headingOf(receipts: readonly Receipt[]): string {
  const [only, ...more] = receipts;
  if (only && more.length === 0) return `Your ${titleOf(only).toLowerCase()}`;
  const plain = receipts.every((receipt) => wordsOf(receipt) === RECEIPT);
  return plain ? 'Your receipts' : 'Your receipts and invoices';
}

/** The notes below the amounts. */
export function footnotes(receipt: Receipt): string[] {
  const hasTax = receipt.taxMode === TaxMode.GST;
  const { kind } = receipt;
  const notes = [];
  if (hasTax) notes.push('The amount includes GST.');
  if (kind === 'tax_invoice') notes.push('The tax is not payable on reverse charge.');
  if (kind === 'bill_of_supply') notes.push('No tax is due on this service.');
  const name = titleOf(receipt).toLowerCase();
  return [...notes, `This is a computer-generated ${name} and needs no signature.`];
}

/** The parts of the amount, for a practice that states tax. */
export function taxLines(receipt: Receipt): Line[] {
  if (receipt.taxMode !== TaxMode.GST) return [];
  const half = halfOf(receipt.gstPercent);
  const taxable = { label: 'Taxable value', value: formatPrice(receipt.taxable) };
  if ((receipt.integratedTax?.minorUnits ?? 0n) > 0n) {
    const label = `Integrated tax (IGST) ${receipt.gstPercent}%`;
    return [taxable, { label, value: formatPrice(receipt.integratedTax) }];
  }
  return [
    taxable,
    { label: `Central tax (CGST) ${half}%`, value: formatPrice(receipt.centralTax) },
    { label: `State tax (SGST) ${half}%`, value: formatPrice(receipt.stateTax) },
  ];
}

/** What went back, and what is left of the payment; nothing while nothing went back. */
export function refundLines({ amount, refunded }: Receipt): Line[] {
  const back = refunded?.minorUnits ?? 0n;
  if (!amount || back <= 0n) return [];
  const { minorUnits, currencyCode } = amount;
  return [
    { label: 'Refunded', value: formatMoney(-back, currencyCode) },
    { label: 'Remaining', value: formatMoney(minorUnits - back, currencyCode) },
  ];
}

export function customerOf({ contact }: Booking): string {
  return [contact?.firstName, contact?.lastName].filter(Boolean).join(' ');
}

/** "Online, with Meera Joshi" */
export function howOf({ mode, practitionerName }: Booking): string {
  const how = mode === SessionMode.IN_PERSON ? 'In person' : 'Online';
  return practitionerName ? `${how}, with ${practitionerName}` : how;
}

/** When the booking's sessions are: for each a line with the date and one with the time. */
export function sessionLines({ sessions }: Booking, zone: Zone): string[] {
  return sessions.flatMap(({ startsAt, endsAt }) => {
    if (!startsAt || !endsAt) return [];
    const [from, to] = [toDate(startsAt), toDate(endsAt)];
    return [formatDate(from, zone), formatTimeRange(from, to, zone)];
  });
}
