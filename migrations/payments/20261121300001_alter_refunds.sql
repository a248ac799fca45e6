-- Refunds as they really are: several of a payment, in part, for more reasons, and made by others.

alter table refunds drop constraint refunds_cause_check;
alter table refunds add constraint refunds_cause_check check (cause in (
    'unplaced', 'mismatched', 'double', 'cancelled', 'staff', 'elsewhere'));
-- The refund in whose place it was asked for, if it was.
alter table refunds add column renews_refund_id uuid;

-- Several parts of a payment may be on their way back at the same time, so one under way is no rule
-- any more. What is one for ever is what the provider made of it.
drop index refunds_under_way;
create index refunds_by_payment on refunds (payment_id);
create unique index refunds_at_provider on refunds (provider_refund_id)
    where provider_refund_id is not null;

-- What is known of each payment of our orders. A payment's amount never changes.
create table payments (
    payment_id text primary key,
    booking_id uuid not null references collections (booking_id),
    status text not null check (status in (
        'created', 'failed', 'authorized', 'captured', 'refunded')),
    amount_minor bigint not null,
    amount_currency text not null,
    -- Whether its money counts: "verified", "mismatched", or null while that is not decided.
    counted text check (counted in ('verified', 'mismatched')),
    seen_at timestamptz not null
);
create index payments_by_booking on payments (booking_id);
comment on table payments is 'What is known of each payment of our orders. Ids only.';

-- Payments that were seen before this table was.
insert into payments (payment_id, booking_id, status, amount_minor, amount_currency, counted, seen_at)
select distinct on (e.payload ->> 'paymentId')
       e.payload ->> 'paymentId', c.booking_id, e.payload ->> 'status',
       coalesce((e.payload -> 'amount' ->> 'minorUnits')::bigint, 0),
       coalesce(e.payload -> 'amount' ->> 'currencyCode', ''),
       (select case when d.event_type = 'payments.v1.PaymentVerified' then 'verified'
                    else 'mismatched' end
        from events d
        where d.stream_id = e.stream_id
          and d.event_type in ('payments.v1.PaymentVerified', 'payments.v1.PaymentMismatched')
          and d.payload ->> 'paymentId' = e.payload ->> 'paymentId'
        limit 1),
       min(e.recorded_at) over (partition by e.payload ->> 'paymentId')
from events e
join collections c on e.stream_id = 'collection-' || c.booking_id
where e.event_type = 'payments.v1.PaymentObserved'
order by e.payload ->> 'paymentId',
         array_position(array['created', 'failed', 'authorized', 'captured', 'refunded'],
                        e.payload ->> 'status') desc;
