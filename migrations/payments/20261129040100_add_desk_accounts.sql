-- Money that is paid at the practice's desk stands in accounts of its own. A payment there and its refunds
-- name "desk" as their provider.

-- Only new lines can have the new words, so that the old ones need not be read.
alter table ledger_lines drop constraint ledger_lines_account_check;
alter table ledger_lines add constraint ledger_lines_account_check check (account in (
    'provider_clearing', 'bank', 'customer_advance', 'revenue', 'retained', 'convenience_fee', 'discount',
    'gateway_fee', 'gst_input', 'refunds_payable', 'dispute_loss', 'suspense', 'desk_cash', 'desk_upi'))
    not valid;
