-- What staff has explained of the list of what nothing explains. A row comes back with another amount.
create table explained_orders (
    reason text not null,
    -- The payment, else the order, else the booking that the row is about.
    subject text not null,
    amount_minor bigint,
    amount_currency text,
    -- Why it is right as it is, in the words of staff.
    explanation text not null check (length(explanation) between 3 and 500),
    explained_by uuid not null,
    explained_at timestamptz not null default clock_now(),
    primary key (reason, subject)
);
comment on table explained_orders is
    'Explanations of staff, in their words; who gave them. Kept as long as the ledger.';
