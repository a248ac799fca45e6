/** A client's receipts of a financial year: their sums, and the year's name. */
import type { Receipt } from '@/gen/payments/v1/payments_service_pb';
import { isForMoney } from './receipt-lines';

const CENTURY = 100;

/** "2026–27": from April 2026 to March 2027. */
export function yearName(year: number): string {
  return `${year}–${String((year + 1) % CENTURY).padStart(2, '0')}`;
}

export type Sum = { currencyCode: string; paid: bigint; back: bigint };

/**
 * What was paid and what went back, by the receipts for money alone: invoices and credit notes state
 * the same money again.
 */
export function sumsOf(receipts: readonly Receipt[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const receipt of receipts) {
    const { amount, refunded } = receipt;
    if (!amount || !isForMoney(receipt)) continue;
    const { currencyCode } = amount;
    const before = sums.get(currencyCode) ?? { currencyCode, paid: 0n, back: 0n };
    const paid = before.paid + amount.minorUnits;
    sums.set(currencyCode, {
      currencyCode,
      paid,
      back: before.back + (refunded?.minorUnits ?? 0n),
    });
  }
  return [...sums.values()];
}

/** The year in an address, or nothing where it is none. */
export function yearIn(query: URLSearchParams): number | undefined {
  const year = Number(query.get('year'));
  return Number.isInteger(year) && year > 0 ? year : undefined;
}
