/** Every reason that the provider's list of payment errors has leads to words of its own. */
import { expect, test } from 'vitest';
import { causeMessage } from './decline-messages';

/** The provider's documentation of errors of payments (errors/payments/list, cards, upi), 2026. */
const DOCUMENTED = `
  amount_less_than_minimum_amount authentication_failed authorisation_declined_by_psp
  bank_account_invalid bank_account_validation_failed bank_cutoff_in_progress bank_not_available
  bank_not_enabled bank_technical_error card_declined card_disabled_for_online_payments card_expired
  card_network_not_enabled card_not_enrolled card_number_invalid card_type_invalid
  collect_on_mcc_blocked collect_request_pending compliance_violation credit_failed
  credit_limit_exceeded credit_limit_expired credit_limit_inactive credit_limit_not_approved
  credit_not_permitted debit_declined debit_instrument_blocked debit_instrument_inactive
  deemed_transaction duplicate_request duplicate_rrn_found emi_greater_than_max_amount
  funds_blocked_by_mandate gateway_technical_error incorrect_atm_pin incorrect_card_details
  incorrect_card_expiry_date incorrect_cardholder_name incorrect_cvv incorrect_otp incorrect_pin
  input_validation_failed insufficient_funds international_transaction_not_allowed invalid_amount
  invalid_currency invalid_mobile_number invalid_order_id invalid_response_from_gateway
  invalid_user_details invalid_vpa issuer_technical_error live_mode_not_enabled
  mcc_amount_limit_exceeded merchant_not_activated mismatch_in_transaction_details
  mobile_number_invalid order_amount_mismatch otp_attempts_exceeded otp_expired
  payment_amount_tampered payment_cancelled payment_collect_request_expired
  payment_declined_due_to_high_traffic payment_method_not_enabled payment_pending
  payment_risk_check_failed payment_session_expired payment_timed_out pin_attempts_exceeded
  pin_not_set psp_app_not_available psp_app_not_supported psp_not_available psp_not_registered
  request_timed_out server_error transaction_daily_count_exceeded transaction_daily_limit_exceeded
  transaction_frequency_limit_exceeded transaction_limit_exceeded transaction_on_vpa_restricted
  upi_app_technical_error upi_collect_not_enabled upi_intent_not_enabled user_not_eligible
  user_not_registered_for_netbanking verification_failed vpa_resolution_failed
`
  .trim()
  .split(/\s+/);

/** What says no more than that it was declined. */
const PLAIN = ['payment_declined', 'payment_failed', 'something_new', ''];

test('each documented reason has words of its own', () => {
  const plain = causeMessage('');
  expect(PLAIN.map(causeMessage)).toEqual(PLAIN.map(() => plain));
  expect(DOCUMENTED.filter((reason) => causeMessage(reason) === plain)).toEqual([]);
});

test('where the bank has not decided the payer is asked to wait', () => {
  for (const reason of ['deemed_transaction', 'payment_pending', 'credit_failed']) {
    expect(causeMessage(reason)).toContain("Please don't pay again yet");
    expect(causeMessage(reason)).not.toContain('try again');
  }
});

test('a failure that another attempt cannot help does not offer one', () => {
  expect(causeMessage('live_mode_not_enabled')).toContain('write to us');
  expect(causeMessage('card_expired')).toContain('use another card or UPI app');
  expect(causeMessage('incorrect_cvv')).toContain('try again');
});
