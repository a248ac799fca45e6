/** Sessions that cost nothing: the practice gives them at once, without a payment. */
import { formatPrice } from '@/lib/money';

type Priced = { price?: { minorUnits: bigint; currencyCode: string } | undefined };

/** A price that is not there is none. */
export function isFree({ price }: Priced): boolean {
  return price?.minorUnits === 0n;
}

/** "₹500" or "Free" */
export function priceWords(priced: Priced): string {
  return isFree(priced) ? 'Free' : formatPrice(priced.price);
}
