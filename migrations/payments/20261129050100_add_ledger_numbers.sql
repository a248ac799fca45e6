-- The ledger is closed by its entries' numbers and not by their times: after a step of the clock, what
-- is recorded at an earlier time would belong to no closing.

alter table ledger_entries add column seq bigint not null generated always as identity;
create unique index ledger_entries_by_number on ledger_entries (seq);
-- What open_balances leaves out.
create index ledger_entries_without_payment on ledger_entries (entry_id) where payment_id is null;

-- The sums of all accounts up to an entry, written every night. Releases before this one write and
-- read ledger_closings.
create table ledger_sums (
    up_to_seq bigint not null,
    account text not null,
    amount_currency text not null,
    amount_minor bigint not null,
    closed_at timestamptz not null default clock_now(),
    primary key (up_to_seq, account, amount_currency)
);
comment on table ledger_sums is 'Sums of all accounts up to an entry of the ledger, for ever.';
