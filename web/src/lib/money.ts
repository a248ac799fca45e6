/** The only place that turns minor units into words. No float is involved. */

type MoneyLike = { minorUnits: bigint; currencyCode: string };

const MINOR_DIGITS = 2;
const MINOR_PER_UNIT = 100n;

/** 110000n paise → "₹1,100"; a fraction is shown only where there is one: "₹1,100.50". */
export function formatMoney(minor: bigint, currency = 'INR'): string {
  const negative = minor < 0n;
  const absolute = negative ? -minor : minor;
  const whole = new Intl.NumberFormat('en-IN', {
    style: 'currency',
    currency,
    maximumFractionDigits: 0,
  }).format(absolute / MINOR_PER_UNIT);
  const rest = absolute % MINOR_PER_UNIT;
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(MINOR_DIGITS, '0')}`;
  return `${negative ? '-' : ''}${whole}${fraction}`;
}

/** A price message → "₹1,100"; nothing for a price that is not there. */
export function formatPrice(price: MoneyLike | undefined): string {
  return price ? formatMoney(price.minorUnits, price.currencyCode || 'INR') : '';
}
