/**
 * Refunds that need a person: those that wait for the end of a dispute, and those that are given back
 * at the desk. Each act is about all of a booking's, so they are summed by booking.
 */
import type { Money } from '@/gen/common/v1/money_pb';
import type { UnexplainedOrder } from '@/gen/payments/v1/payments_staff_service_pb';

export type OpenRefund = {
  /** It waits because the payment is disputed, or the practice gives it back at its desk. */
  kind: 'disputed' | 'at-desk';
  bookingId: string;
  amount: Pick<Money, 'minorUnits' | 'currencyCode'>;
  /** What the list says of it, oldest first. */
  orders: readonly UnexplainedOrder[];
};

const KINDS: Partial<Record<string, OpenRefund['kind']>> = {
  REFUND_HELD: 'disputed',
  OWED_AT_DESK: 'at-desk',
};

export function isOpenRefund({ reason, bookingId, amount }: UnexplainedOrder): boolean {
  return KINDS[reason] !== undefined && bookingId !== '' && amount !== undefined;
}

/** One for each booking and kind, in the order of the oldest. */
export function openRefunds(orders: readonly UnexplainedOrder[]): OpenRefund[] {
  const found = new Map<string, OpenRefund>();
  for (const order of orders) {
    const { bookingId, amount, reason } = order;
    const kind = KINDS[reason];
    if (!kind || !amount || !isOpenRefund(order)) continue;
    const key = `${kind}/${bookingId}/${amount.currencyCode}`;
    const before = found.get(key);
    const minorUnits = (before?.amount.minorUnits ?? 0n) + amount.minorUnits;
    const sum = { minorUnits, currencyCode: amount.currencyCode };
    found.set(key, { kind, bookingId, amount: sum, orders: [...(before?.orders ?? []), order] });
  }
  return [...found.values()];
}
