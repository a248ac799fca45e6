/** What a cancellation is called before and after it is done, with its sum. */
import type { GraceUse } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { formatLongDate, localDate, toDate, type Zone } from '@/lib/time';

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

/** What of it comes back although it is late, and from when on the client has that again. */
export function graceSentence({ refund, againAt }: GraceUse, zone: Zone): string {
  if (!isSum(refund)) return '';
  const goes = `${formatPrice(refund)} goes back by grace`;
  if (!againAt) return `${goes}.`;
  const day = formatLongDate(localDate(toDate(againAt), zone.timeZone));
  return `${goes}; the client has it again from ${day}.`;
}

/** What was done. */
export function cancelledWords(refund: Money | undefined): string {
  return isSum(refund) ? `Cancelled. ${formatPrice(refund)} goes back.` : 'Cancelled.';
}
