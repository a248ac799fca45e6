-- Disputes of payments: a payer's bank questions one, and the practice has until a day to answer.

create table disputes (
    dispute_id text primary key,
    provider text not null,
    booking_id uuid not null,
    payment_id text not null,
    state text not null
        check (state in ('open', 'under_review', 'action_required', 'closed', 'won', 'lost')),
    phase text not null,
    -- The bank's reason, in the provider's word.
    reason text not null,
    amount_minor bigint not null,
    amount_currency text not null,
    -- How much of the practice's balance it took.
    deducted_minor bigint not null,
    -- Until when the practice has to answer.
    respond_by_at timestamptz,
    -- When it was first told.
    seen_at timestamptz not null
);
create index disputes_by_payment on disputes (payment_id);
-- The lists read what is open or lost, and not history.
create index disputes_open on disputes (seen_at)
    where state in ('open', 'under_review', 'action_required', 'lost');
comment on table disputes is 'Disputes of payments, for ever. Ids only, no personal data.';
