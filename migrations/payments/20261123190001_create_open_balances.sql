-- What is still open in the ledger, so that the questions that raise alarms read that and not history.
-- Triggers keep it, so that the entries of an older release count too while a deploy rolls.

-- The sum of each payment in the accounts from which money has to move on, without the sums that are
-- zero. What settlements have moved is a part of it that is told apart.
create table open_balances (
    payment_id text not null,
    account text not null,
    amount_currency text not null,
    booking_id uuid,
    amount_minor bigint not null,
    settled_minor bigint not null,
    -- When the first of its entries was recorded, since the sum was zero.
    since timestamptz not null,
    primary key (payment_id, account, amount_currency)
);
create index open_balances_by_account on open_balances (account);
comment on table open_balances is 'What has to move on in the ledger. Ids only.';

create function open_balances_of(given uuid[]) returns void language sql as $$
    insert into open_balances as known (payment_id, account, amount_currency, booking_id,
                                        amount_minor, settled_minor, since)
    select e.payment_id, l.account, l.amount_currency,
           (array_agg(e.booking_id) filter (where e.booking_id is not null))[1],
           sum(l.amount_minor), coalesce(sum(l.amount_minor) filter (where e.kind = 'settled'), 0),
           min(e.recorded_at)
    from ledger_entries e join ledger_lines l using (entry_id)
    where e.entry_id = any (given) and e.payment_id is not null
      and l.account in ('provider_clearing', 'refunds_payable', 'customer_advance', 'suspense')
    group by e.payment_id, l.account, l.amount_currency
    order by e.payment_id, l.account, l.amount_currency
    on conflict (payment_id, account, amount_currency) do update
    set amount_minor = known.amount_minor + excluded.amount_minor,
        settled_minor = known.settled_minor + excluded.settled_minor,
        booking_id = coalesce(excluded.booking_id, known.booking_id);
    delete from open_balances
    where amount_minor = 0 and settled_minor = 0
      and payment_id in (select payment_id from ledger_entries where entry_id = any (given));
$$;
create function keep_open_balances() returns trigger language plpgsql as $$
begin
    perform open_balances_of(array(select distinct entry_id from written));
    return null;
end $$;
create trigger ledger_lines_keep_open_balances after insert on ledger_lines
    referencing new table as written
    for each statement execute function keep_open_balances();

insert into open_balances
select e.payment_id, l.account, l.amount_currency,
       (array_agg(e.booking_id) filter (where e.booking_id is not null))[1],
       sum(l.amount_minor), coalesce(sum(l.amount_minor) filter (where e.kind = 'settled'), 0),
       min(e.recorded_at)
from ledger_entries e join ledger_lines l using (entry_id)
where e.payment_id is not null
  and l.account in ('provider_clearing', 'refunds_payable', 'customer_advance', 'suspense')
group by e.payment_id, l.account, l.amount_currency
having sum(l.amount_minor) <> 0
    or coalesce(sum(l.amount_minor) filter (where e.kind = 'settled'), 0) <> 0;

-- Bookings that stand and whose money nobody has verified.
create table unpaid_bookings (
    booking_id uuid primary key
);
create function is_unpaid(given uuid) returns boolean language sql stable as $$
    select exists (
        select from collections c join known_bookings k using (booking_id)
        where c.booking_id = given and k.state in ('confirmed', 'completed')
          and c.verified_payment_id is null)
$$;
create function keep_unpaid_bookings() returns trigger language plpgsql as $$
begin
    if is_unpaid(new.booking_id) then
        insert into unpaid_bookings values (new.booking_id) on conflict do nothing;
    else
        delete from unpaid_bookings where booking_id = new.booking_id;
    end if;
    return null;
end $$;
create trigger known_bookings_keep_unpaid after insert or update of state on known_bookings
    for each row execute function keep_unpaid_bookings();
create trigger collections_keep_unpaid after insert or update of verified_payment_id on collections
    for each row execute function keep_unpaid_bookings();
insert into unpaid_bookings
select c.booking_id from collections c join known_bookings k using (booking_id)
where k.state in ('confirmed', 'completed') and c.verified_payment_id is null;

-- The sums of all accounts up to an instant, written every night: the balances of a day are the last
-- of these and what was written since.
create table ledger_closings (
    up_to timestamptz not null,
    account text not null,
    amount_currency text not null,
    amount_minor bigint not null,
    primary key (up_to, account, amount_currency)
);
create index ledger_entries_by_time on ledger_entries (recorded_at);

-- Up to which position of our own feed the entries of bookings were compared with their events.
create table opened_books (
    only_row boolean primary key default true check (only_row),
    position bigint not null
);

-- What is open, of every other table that an alarm asks.
create index payments_authorized on payments (seen_at) where status = 'authorized';
create index payments_mismatched on payments (payment_id) where counted = 'mismatched';
create index collections_without_order on collections (booking_id)
    where order_id is null and ordering_turns > 0;
create index refunds_open on refunds (state) where state in ('requested', 'accepted');
create index refunds_failed on refunds (refund_id) where state = 'failed' and cause <> 'elsewhere';
create index refunds_renewed on refunds (renews_refund_id) where renews_refund_id is not null;
create index refunds_elsewhere on refunds (refund_id)
    where cause = 'elsewhere' and state in ('accepted', 'processed');
create index unknown_payments_open on unknown_payments (payment_id) where explained_at is null;
create index unknown_payments_by_order on unknown_payments (order_id) where order_id is not null;
create index settlement_lines_broken on settlement_lines (settlement_id) where broken is not null;
create index settlement_lines_broken_by_payment on settlement_lines (payment_id)
    where broken is not null;
create index settlements_broken on settlements (settlement_id) where broken is not null;
create index webhook_inbox_open on webhook_inbox (received_at) where folded_at is null;
