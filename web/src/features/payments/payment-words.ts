/** The sentences of paying and verifying. */
import { describeError } from '@/lib/errors';
import type { CheckoutFailure } from './checkout-window';

export const ORDER_FAILED = 'Failed to create order. Please try again.';
export const STILL_LOADING = 'Payment system is loading. Please try again.';
export const MISSING_INFORMATION = 'Missing service or user information';
export const INVALID_PRICE = 'Invalid price value';
export const MONEY_SAFE = 'Your money is safe; we are confirming with your bank.';

/** What the server says of a booking that cannot be paid for, in the words of the page. */
const REFUSALS: Record<string, string> = {
  INVALID_PRICE,
  PRICE_INVALID: INVALID_PRICE,
  AMOUNT_INVALID: INVALID_PRICE,
  INVALID_BOOKING_ID: MISSING_INFORMATION,
  BOOKING_NOT_FOUND: MISSING_INFORMATION,
};

/** The title over a failed order. */
export function orderFailedTitle(error: unknown): string {
  const { reason } = describeError(error);
  return REFUSALS[reason] ?? ORDER_FAILED;
}

const DECLINED: Record<string, string> = {
  insufficient_funds: 'There was not enough money in the account.',
  payment_cancelled: 'The payment was cancelled in your bank or app.',
  incorrect_otp: 'The one-time password was not right.',
  incorrect_pin: 'The PIN was not right.',
  card_expired: 'The card has expired.',
  payment_timed_out: 'The bank did not answer in time.',
  otp_expired: 'The one-time password was too old.',
  otp_attempts_exceeded: 'The one-time password was wrong too often.',
  pin_attempts_exceeded: 'The PIN was wrong too often.',
  card_declined: 'The bank declined this card.',
  card_not_enrolled: 'This card is not enabled for payments online.',
  international_transaction_not_allowed: 'This card cannot be used here.',
  transaction_limit_exceeded: 'It is more than your bank allows in a day.',
  payment_risk_check_failed: 'The payment service refused it as a precaution.',
  invalid_vpa: 'There is no such UPI ID.',
  bank_technical_error: 'The bank has a technical problem.',
};
/** The provider has the money of this order already. */
export const ALREADY_PAID = 'order_already_paid';

/** A failed attempt, in words with a next step. The provider's own text is never shown. */
export function declineWords(failure: CheckoutFailure): string {
  const cause = DECLINED[failure.error?.reason ?? ''] ?? 'Your bank or app declined it.';
  return (
    `${cause} If money has left your account, it comes back by itself. ` +
    'Your time is still kept: try again, or use another card or UPI app.'
  );
}
