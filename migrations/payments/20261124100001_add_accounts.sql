-- What the provider's own settings may lawfully add to a price or take off it stands apart: the fee that
-- it adds for itself, and the discount of an offer. And what a lost dispute took.

-- Only new lines can have the new words, so that the old ones need not be read.
alter table ledger_lines drop constraint ledger_lines_account_check;
alter table ledger_lines add constraint ledger_lines_account_check check (account in (
    'provider_clearing', 'bank', 'customer_advance', 'revenue', 'retained', 'convenience_fee', 'discount',
    'gateway_fee', 'gst_input', 'refunds_payable', 'dispute_loss', 'suspense')) not valid;
