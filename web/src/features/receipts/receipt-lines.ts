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

/** How the amount is made up, for who states tax. */
export function taxLines(receipt: Receipt): Line[] {
  if (receipt.taxMode !== TaxMode.GST) return [];
  const half = halfOf(receipt.gstPercent);
  return [
    { label: 'Taxable value', value: formatPrice(receipt.taxable) },
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
