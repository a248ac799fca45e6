/** Why a payment failed, for every reason that the provider's documentation lists. */

/** What the payer can do next. */
type Next = 'again' | 'other' | 'practice' | 'wait';

const BACK = 'If money left your account, your bank will return it. Your time is still kept: ';
const NEXT: Record<Next, string> = {
  again: `${BACK}try again, or use another card or UPI app.`,
  other: `${BACK}use another card or UPI app.`,
  practice: `${BACK}choose another way of paying, or write to us.`,
  wait: "Please don't pay again yet: we keep asking the bank, and this page shows when the money has arrived. Your time is still kept.",
};

/** The reasons that share a sentence, the sentence, and what to do. */
const CAUSES: readonly (readonly [reasons: string, cause: string, next: Next])[] = [
  [
    'insufficient_funds funds_blocked_by_mandate',
    'There was not enough money in the account.',
    'other',
  ],
  [
    'transaction_limit_exceeded transaction_daily_limit_exceeded transaction_daily_count_exceeded transaction_frequency_limit_exceeded mcc_amount_limit_exceeded',
    'It is more than your bank allows in a day.',
    'other',
  ],
  [
    'credit_limit_exceeded credit_limit_expired credit_limit_inactive credit_limit_not_approved credit_not_permitted user_not_eligible emi_greater_than_max_amount emi_plan_unavailable',
    'Credit cannot be used for this payment.',
    'other',
  ],
  ['payment_cancelled', 'The payment was cancelled in your bank or app.', 'again'],
  ['incorrect_otp invalid_otp', 'The one-time password was not right.', 'again'],
  ['otp_expired', 'The one-time password was too old.', 'again'],
  ['otp_attempts_exceeded', 'The one-time password was wrong too often.', 'other'],
  ['authentication_failed', 'Your bank could not confirm that it was you.', 'again'],
  ['incorrect_pin incorrect_atm_pin', 'The PIN was not right.', 'again'],
  ['pin_attempts_exceeded', 'The PIN was wrong too often.', 'other'],
  ['pin_not_set', 'There is no UPI PIN for this account yet.', 'other'],
  ['incorrect_cvv', 'The code on the back of the card was not right.', 'again'],
  [
    'incorrect_card_details incorrect_card_expiry_date incorrect_cardholder_name card_number_invalid invalid_user_details',
    'Something in the card’s details was not right.',
    'again',
  ],
  ['card_expired', 'The card has expired.', 'other'],
  ['card_declined', 'The bank declined this card.', 'other'],
  [
    'card_not_enrolled card_disabled_for_online_payments debit_instrument_inactive',
    'This card or account is not enabled for payments online.',
    'other',
  ],
  ['debit_instrument_blocked', 'This card or account is blocked.', 'other'],
  [
    'international_transaction_not_allowed card_type_invalid card_network_not_enabled',
    'This card cannot be used here.',
    'other',
  ],
  [
    'bank_account_invalid bank_account_validation_failed beneficiary_account_does_not_exist beneficiary_account_dormant',
    'The bank does not know this account.',
    'other',
  ],
  ['user_not_registered_for_netbanking', 'This account has no netbanking.', 'other'],
  ['invalid_vpa vpa_resolution_failed psp_not_registered', 'There is no such UPI ID.', 'other'],
  [
    'transaction_on_vpa_restricted authorisation_declined_by_psp debit_declined',
    'Your UPI app or its bank refused it.',
    'other',
  ],
  [
    'upi_app_technical_error psp_app_not_available psp_not_available psp_app_not_supported upi_autopay_not_supported_on_psp',
    'Your UPI app could not pay this time.',
    'other',
  ],
  ['invalid_mobile_number mobile_number_invalid', 'The phone number was not right.', 'again'],
  [
    'payment_timed_out payment_session_expired payment_collect_request_expired request_timed_out',
    'The bank did not answer in time.',
    'again',
  ],
  [
    'bank_technical_error bank_not_available bank_cutoff_in_progress issuer_technical_error',
    'The bank has a technical problem.',
    'other',
  ],
  [
    'gateway_technical_error server_error invalid_response_from_gateway payment_declined_due_to_high_traffic verification_failed capture_failed',
    'The payment service has a technical problem.',
    'again',
  ],
  [
    'payment_risk_check_failed compliance_violation payment_amount_tampered mismatch_in_transaction_details',
    'The payment service refused it as a precaution.',
    'other',
  ],
  [
    'live_mode_not_enabled merchant_not_activated payment_method_not_enabled bank_not_enabled invalid_currency invalid_amount amount_less_than_minimum_amount invalid_order_id order_amount_mismatch input_validation_failed recurring_payment_not_enabled collect_on_mcc_blocked upi_collect_not_enabled upi_intent_not_enabled',
    'This way of paying is not set up here.',
    'practice',
  ],
  [
    'collect_request_pending payment_pending deemed_transaction credit_failed credit_to_beneficiary_failed duplicate_rrn_found duplicate_request',
    'The bank has not decided yet.',
    'wait',
  ],
];

/** A failed attempt in words with a next step. A reason that is new to us is a decline. */
export function causeMessage(reason: string): string {
  const known = CAUSES.find(([reasons]) => reasons.split(' ').includes(reason));
  const [, cause, next] = known ?? ['', 'Your bank or app declined it.', 'again'];
  return `${cause} ${NEXT[next]}`;
}
