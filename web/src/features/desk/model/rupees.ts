/** Sums that are given back: as people type them, and what there is to give. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';

/**
 * Sums as people type them: "1500", "1,500.50", "₹1,500", "1,00,000". A comma stands between
 * groups and never before the paise: "12,50" is no sum, and must not be 1,250 rupees.
 */
const WRITTEN = /^(?:\d{1,9}|\d{1,3}(?:,\d{2,3}){0,2},\d{3})(?:\.\d{1,2})?$/;

/** The sum in paise; nothing for what is none, or is zero. No float is involved. */
export function paiseOf(written: string): bigint | undefined {
  const plain = written.replace(/[₹\s]/g, '');
  if (!WRITTEN.test(plain)) return undefined;
  const [whole = '0', rest = ''] = plain.replaceAll(',', '').split('.');
  const paise = BigInt(whole) * 100n + BigInt(rest.padEnd(2, '0'));
  return paise > 0n ? paise : undefined;
}

/** The same for a field: "1500", "1500.50". */
export function writtenSum(paise: bigint): string {
  const rest = paise % 100n;
  return rest === 0n ? `${paise / 100n}` : `${paise / 100n}.${String(rest).padStart(2, '0')}`;
}

/** What is still with the practice, as far as the booking says. */
export function moneyLeft({ paid, refundedOtherwise }: Booking): bigint {
  return (paid?.minorUnits ?? 0n) - (refundedOtherwise?.minorUnits ?? 0n);
}
