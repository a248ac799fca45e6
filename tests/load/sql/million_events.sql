-- A log of 1,000,000 events, and the rows that such a log has left: 250,000 times that were held
-- and not paid, 40 a day over the years before, so four events each. Made in one go, because asking
-- for them one by one would take an hour. Run by the database's superuser, who may leave the checks of
-- foreign keys out; ids count up with time as real ones do.

set session_replication_role = replica;

create temporary table past as
select n,
       (lpad(to_hex(1300000000000 + n * 60000), 12, '0') || '7000' || '8'
        || substr(md5(n::text), 1, 15))::uuid as booking_id,
       (lpad(to_hex(1200000000000 + n * 60000), 12, '0') || '7000' || '9'
        || substr(md5(n::text), 1, 15))::uuid as customer_id,
       date '2026-11-01' - ((250000 - n) / 40)::int as day,
       (n - 1) % 40 as place
from generate_series(1::bigint, 250000) n;

alter table past add column starts_at timestamptz;
update past
set starts_at = (day + interval '6 hours' + place * interval '20 minutes')
                at time zone 'Asia/Kolkata';

insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
select (lpad(to_hex(1300000000000 + n * 60000 + step), 12, '0') || '7000' || 'a'
        || substr(md5(n || ' ' || step), 1, 15))::uuid,
       case step when 0 then 'booking-' || booking_id when 2 then 'booking-' || booking_id
                 else 'day-lead-' || day end,
       case step when 0 then 1 when 2 then 2 when 1 then 2 * place + 1 else 2 * place + 2 end,
       case step when 0 then 'booking.v1.BookingRequested' when 1 then 'booking.v1.SlotHeld'
                 when 2 then 'booking.v1.BookingExpired' else 'booking.v1.SlotReleased' end,
       case step
           when 0 then jsonb_build_object(
               'bookingId', wire_id,
               'customerId', 'usr_' || replace(customer_id::text, '-', ''),
               'serviceId', 'meditation', 'serviceTitle', 'Meditation',
               'price', jsonb_build_object('minorUnits', '60000', 'currencyCode', 'INR'),
               'sessions', jsonb_build_array(
                   jsonb_build_object('startsAt', wire_start, 'endsAt', wire_end)),
               'practitionerId', 'lead', 'mode', 'SESSION_MODE_ONLINE',
               'heldUntilAt', wire_start)
           when 1 then jsonb_build_object('bookingId', wire_id, 'startsAt', wire_start,
                                          'endsAt', wire_end, 'heldUntilAt', wire_start)
           else jsonb_build_object('bookingId', wire_id)
       end,
       jsonb_build_object(
           'actor', case when step < 2 then 'usr_' || replace(customer_id::text, '-', '')
                         else 'hold-end' end,
           'correlation', wire_id,
           'traceparent', '00-' || md5(n::text) || '-' || substr(md5(n || 's'), 1, 16) || '-01'),
       starts_at - interval '2 days' + step / 2 * interval '15 minutes'
from past
cross join lateral (
    select 'bkg_' || replace(booking_id::text, '-', '') as wire_id,
           to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as wire_start,
           to_char((starts_at + interval '5 minutes') at time zone 'UTC',
                   'YYYY-MM-DD"T"HH24:MI:SS"Z"') as wire_end) wire
cross join generate_series(0, 3) step
order by n, step;

insert into feed (position, seq) select row_number() over (order by seq), seq from events;

insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                      price_currency, practitioner_id, mode, state, requested_at, version)
select booking_id, customer_id, 'meditation', 'Meditation', 60000, 'INR', 'lead', 'online',
       'expired', starts_at - interval '2 days', 2
from past;

insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, held_until_at, live)
select booking_id, 'lead', starts_at, starts_at + interval '5 minutes', starts_at, false
from past;

insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                              terms_accepted_at)
select booking_id, 'Asha', 'Verma', 'asha.' || n || '@customers.example', '+919876543210', '',
       starts_at - interval '2 days'
from past;

set session_replication_role = origin;
