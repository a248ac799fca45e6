/** What a cancellation is called before and after it is done, with its sum. */
import { formatPrice } from '@/lib/money';

type Money = { minorUnits: bigint; currencyCode: string };

function isSum(money: Money | undefined): money is Money {
  return money !== undefined && money.minorUnits > 0n;
}

type Shown = { refund?: Money | undefined; unpaid: boolean };

/** The words of the button that does it: the sum stands on it. */
export function cancelButton({ refund, unpaid }: Shown): string {
  if (!isSum(refund)) return 'Cancel, nothing goes back';
  return unpaid ? 'Cancel' : `Cancel and give ${formatPrice(refund)} back`;
}

/** What happens to the money, as a sentence. */
export function moneySentence({ refund, unpaid }: Shown): string {
  if (!isSum(refund)) return 'Nothing goes back to the client.';
  if (unpaid) return `No payment was seen yet. If it comes, ${formatPrice(refund)} goes back.`;
  return `${formatPrice(refund)} goes back to the client.`;
}

/** What was done. */
export function cancelledWords(refund: Money | undefined): string {
  return isSum(refund) ? `Cancelled. ${formatPrice(refund)} goes back.` : 'Cancelled.';
}
