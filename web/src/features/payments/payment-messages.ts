/** The sentences of paying and verifying. */
import { describeError } from '@/lib/errors';
import { type CheckoutFailure, ScriptNotLoaded } from './checkout-window';

export const ORDER_FAILED = 'Failed to create order. Please try again.';
export const SCRIPT_FAILED = 'The payment window did not load';
export const CANCELLED = 'Payment Cancelled';
export const RETRY_ANYTIME = 'You can retry the payment anytime.';
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

/** The title over an order that could not be made, or not be shown. */
export function orderFailedTitle(error: unknown): string {
  if (error instanceof ScriptNotLoaded) return SCRIPT_FAILED;
  const { reason } = describeError(error);
  return REFUSALS[reason] ?? ORDER_FAILED;
}

/** The provider has the money of this order already. */
export const ALREADY_PAID = 'order_already_paid';

/**
 * A failed attempt, in words with a next step. The provider's own text is never shown. The words of
 * all reasons are loaded when the first attempt fails; where they cannot be had it says less.
 */
export async function declineMessage(failure: CheckoutFailure): Promise<string> {
  try {
    const { causeMessage } = await import('./decline-messages');
    return causeMessage(failure.error?.reason ?? '');
  } catch {
    return 'Your bank or app declined it. Your time is still kept: try again.';
  }
}
