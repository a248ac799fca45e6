-- Double entry: every movement of money as lines whose sum is zero, written in the transaction of the
-- event that moved it. What was wrong is put right by another entry.

create table ledger_entries (
    entry_id uuid primary key,
    -- What led to it, in words that come once: "captured pay_…". The same cause posts nothing again.
    cause text not null unique,
    kind text not null,
    -- Whose money it is; null when no booking of ours knows it.
    booking_id uuid,
    -- The provider's payment that it is about.
    payment_id text,
    -- The provider's refund that it is about.
    provider_refund_id text,
    lines int not null check (lines >= 2),
    recorded_at timestamptz not null default clock_now()
);
create index ledger_entries_by_booking on ledger_entries (booking_id);
create index ledger_entries_by_payment on ledger_entries (payment_id);
create index ledger_entries_by_refund on ledger_entries (provider_refund_id)
    where provider_refund_id is not null;
comment on table ledger_entries is 'Movements of money, for ever. Ids only, no personal data.';

-- What each entry moves.
create table ledger_lines (
    entry_id uuid not null references ledger_entries (entry_id),
    line int not null check (line > 0),
    account text not null check (account in (
        'provider_clearing', 'bank', 'customer_advance', 'revenue', 'retained', 'gateway_fee',
        'gst_input', 'refunds_payable', 'suspense')),
    -- Debits are positive, credits negative.
    amount_minor bigint not null check (amount_minor <> 0),
    amount_currency text not null,
    primary key (entry_id, line)
);
create index ledger_lines_by_account on ledger_lines (account, amount_currency);

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
    raise exception 'the ledger is immutable' using errcode = 'restrict_violation';
end $$;
create trigger ledger_entries_are_immutable before update or delete on ledger_entries
    for each row execute function refuse_ledger_change();
create trigger ledger_entries_are_not_truncated before truncate on ledger_entries
    for each statement execute function refuse_ledger_change();
create trigger ledger_lines_are_immutable before update or delete on ledger_lines
    for each row execute function refuse_ledger_change();
create trigger ledger_lines_are_not_truncated before truncate on ledger_lines
    for each statement execute function refuse_ledger_change();

-- Asked at the commit, when all lines of an entry are there. The number of lines is a part of the
-- entry, so that none can be added to it later.
create function refuse_unbalanced_entry() returns trigger language plpgsql as $$
declare
    promised int;
    found int;
begin
    select lines into promised from ledger_entries where entry_id = new.entry_id;
    select count(*) into found from ledger_lines where entry_id = new.entry_id;
    if found <> promised then
        raise exception 'an entry of the ledger has % lines and not %', found, promised
            using errcode = 'check_violation';
    end if;
    if exists (
        select from ledger_lines where entry_id = new.entry_id
        group by amount_currency having sum(amount_minor) <> 0)
    then
        raise exception 'an entry of the ledger does not net to zero'
            using errcode = 'check_violation';
    end if;
    return null;
end $$;
create constraint trigger ledger_entries_net_to_zero after insert on ledger_entries
    deferrable initially deferred for each row execute function refuse_unbalanced_entry();
create constraint trigger ledger_lines_net_to_zero after insert on ledger_lines
    deferrable initially deferred for each row execute function refuse_unbalanced_entry();

-- What the provider paid out to the bank.
create table settlements (
    settlement_id text primary key,
    amount_minor bigint not null,
    -- The provider's word.
    state text not null,
    bank_reference text,
    -- Why it does not fit its lines; null when it does.
    broken text,
    seen_at timestamptz not null default clock_now()
);

-- The provider's daily report, line by line. A line that comes again with other figures replaces what
-- was posted for it by entries of their own; revision counts that.
create table settlement_lines (
    settlement_id text not null,
    -- The provider's payment, refund or adjustment.
    entity_id text not null,
    kind text not null,
    -- The payment that it is about, as far as it is about one.
    payment_id text,
    amount_minor bigint not null,
    debit_minor bigint not null,
    credit_minor bigint not null,
    -- The fee holds the tax.
    fee_minor bigint not null,
    tax_minor bigint not null,
    amount_currency text not null,
    settled_at timestamptz,
    -- Why it does not fit our books; null when it does.
    broken text,
    revision int not null default 1,
    seen_at timestamptz not null default clock_now(),
    primary key (settlement_id, entity_id)
);
create index settlement_lines_by_entity on settlement_lines (entity_id);

-- Captured payments at the provider that belong to no order of ours.
create table unknown_payments (
    payment_id text primary key,
    -- The order that the provider named, if any.
    order_id text,
    amount_minor bigint not null,
    amount_currency text not null,
    seen_at timestamptz not null default clock_now(),
    -- When it turned out to be ours, or all of it had gone back.
    explained_at timestamptz
);

-- The turn after which an order whose creation had no answer was looked for and not found: as long as
-- there was no other turn, there is none.
alter table collections add column order_absent_turn int;
