-- When the last session of a booking ends, so that the list of an account's own bookings reads no more than
-- it shows, however many there are.
alter table bookings add column last_ends_at timestamptz;
comment on column bookings.last_ends_at is 'When its last session ends, cancelled or not.';
update bookings b
set last_ends_at = (select max(ends_at) from slot_reservations r where r.booking_id = b.booking_id);
create index bookings_of_customer_by_end
    on bookings (customer_id, last_ends_at desc, booking_id desc);
