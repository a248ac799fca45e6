-- A payments database behind 1,000,000 bookings whose sessions took place and whose money was paid
-- out, and 5,000 that are paid and still to come, with the rows that they have left. Made in one go by
-- the database's superuser, without triggers: what triggers would have kept is written at the end.

set session_replication_role = replica;

create temporary table past as
select n, n > 1000000 as is_open,
       md5('booking ' || n)::uuid as booking_id,
       'pay_' || lpad(n::text, 14, '0') as payment_id,
       clock_now() - case when n > 1000000 then interval '2 days'
                          else interval '10 days' + (1000000 - n) * interval '1 minute' end as paid_at
from generate_series(1, 1005000) n;

insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
select md5('opened ' || n)::uuid, 'collection-' || booking_id, 1, 'payments.v1.CollectionOpened',
       jsonb_build_object(
           'bookingId', 'bkg_' || replace(booking_id::text, '-', ''),
           'collectionId', 'col_' || md5('collection ' || n),
           'customerId', 'usr_' || md5('customer ' || n),
           'amount', jsonb_build_object('minorUnits', '60000', 'currencyCode', 'INR')),
       '{"actor": "bench"}', paid_at
from past order by n;
insert into feed (position, seq) select row_number() over (order by seq), seq from events;

insert into collections (booking_id, collection_id, customer_id, amount_minor, amount_currency,
                         order_id, ordered_at, state, verified_payment_id, opened_at)
select booking_id, md5('collection ' || n)::uuid, md5('customer ' || n)::uuid, 60000, 'INR',
       'order_' || lpad(n::text, 14, '0'), paid_at, 'paid', payment_id, paid_at
from past;

insert into known_bookings (booking_id, customer_id, state, placed_payment_id)
select booking_id, md5('customer ' || n)::uuid,
       case when is_open then 'confirmed' else 'completed' end, payment_id
from past;

insert into payments (payment_id, booking_id, status, amount_minor, amount_currency, counted, seen_at)
select payment_id, booking_id, 'captured', 60000, 'INR', 'verified', paid_at from past;

insert into webhook_inbox (event_id, body_sha256, received_at, folded_at, payment_id)
select 'evt_' || n, sha256(n::text::bytea), paid_at, paid_at, payment_id from past;

insert into ledger_entries (entry_id, cause, kind, booking_id, payment_id, lines, recorded_at)
select md5(kind || n)::uuid, kind || ' ' || payment_id, kind, booking_id, payment_id,
       case kind when 'settled' then 4 else 2 end, paid_at + step * interval '1 day'
from past
cross join (values ('captured', 0), ('earned', 1), ('settled', 2)) as kinds (kind, step)
where step = 0 or not is_open;

insert into ledger_lines (entry_id, line, account, amount_minor, amount_currency)
select md5(kind || n)::uuid, line, account, amount_minor, 'INR'
from past
cross join (values
    ('captured', 1, 'provider_clearing', 60000), ('captured', 2, 'customer_advance', -60000),
    ('earned', 1, 'customer_advance', 60000), ('earned', 2, 'revenue', -60000),
    ('settled', 1, 'bank', 58584), ('settled', 2, 'gateway_fee', 1200),
    ('settled', 3, 'gst_input', 216), ('settled', 4, 'provider_clearing', -60000)
) as moved (kind, line, account, amount_minor)
where kind = 'captured' or not is_open;

insert into settlement_lines (settlement_id, entity_id, kind, payment_id, amount_minor, debit_minor,
                              credit_minor, fee_minor, tax_minor, amount_currency, settled_at)
select 'setl_' || lpad((n / 40)::text, 14, '0'), payment_id, 'payment', payment_id, 60000, 0, 58584,
       1416, 216, 'INR', paid_at + interval '2 days'
from past where not is_open;

insert into open_balances (payment_id, account, amount_currency, booking_id, amount_minor,
                           settled_minor, since)
select payment_id, account, 'INR', booking_id, amount_minor, 0, paid_at
from past
cross join (values ('provider_clearing', 60000), ('customer_advance', -60000))
    as moved (account, amount_minor)
where is_open;

insert into opened_books (position) select max(position) from feed;

set session_replication_role = origin;
