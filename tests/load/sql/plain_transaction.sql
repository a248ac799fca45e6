-- What RequestBooking is measured beside: the rows that it writes, in one transaction of five
-- statements, by prepared statements over one connection per client, in a database with the same
-- tables, indexes, constraints and triggers on the same server. Nothing is locked, loaded, decided
-- or numbered here, and nobody reads the outbox.

-- 1. The booking's event and the day's.
insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
values ($1, $2, 1, 'booking.v1.BookingRequested', $3, $4, clock_now()),
       ($5, $6, $7, 'booking.v1.SlotHeld', $8, $4, clock_now())
returning seq;

-- 2. The outbox, from which the relay would number them.
insert into outbox (seq) select unnest($1::bigint[]);

-- 3. The read models: where the booking stands, its time, and who comes.
with booking as (
    insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                          price_currency, practitioner_id, mode, state, held_until_at, requested_at)
    values ($1, $2, 'meditation', 'Meditation', 60000, 'INR', 'lead', 'online', 'held',
            clock_now() + interval '15 minutes', clock_now())),
session as (
    insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, held_until_at,
                                   live)
    values ($1, 'lead', to_timestamp($3::bigint), to_timestamp($3::bigint) + interval '5 minutes',
            clock_now() + interval '15 minutes', true))
insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                              terms_accepted_at)
values ($1, 'Asha', 'Verma', $4, '+919876543210', '', clock_now());

-- 4. The answer that a repeat of the request would get.
insert into idempotency_keys (caller, method, key, request_hash, answer)
values ($1, 'RequestBooking', $2, $3, $4);

-- 5. The timer of the hold's end.
insert into timers (kind, subject, due_at, metadata)
values ('hold-end', $1, clock_now() + interval '15 minutes', $2);
