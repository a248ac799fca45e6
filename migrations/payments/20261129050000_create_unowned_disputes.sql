-- Disputes of captured payments that belong to no order of ours (unknown_payments): what they take
-- leaves suspense in the ledger. A payment that turns out to be a booking's brings them along.

create table unowned_disputes (
    dispute_id text primary key,
    provider text not null,
    payment_id text not null references unknown_payments (payment_id),
    state text not null
        check (state in ('open', 'under_review', 'action_required', 'closed', 'won', 'lost')),
    phase text not null,
    -- The bank's reason, in the provider's word.
    reason text not null,
    amount_minor bigint not null,
    amount_currency text not null,
    -- How much of the practice's balance it took.
    deducted_minor bigint not null,
    respond_by_at timestamptz,
    -- How many entries of the ledger it has led to.
    moves int not null,
    seen_at timestamptz not null default clock_now()
);
create index unowned_disputes_by_payment on unowned_disputes (payment_id);
comment on table unowned_disputes is
    'Disputes of payments without a known booking, for ever. Ids only, no personal data.';
