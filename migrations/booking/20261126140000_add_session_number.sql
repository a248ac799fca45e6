-- A package has several sessions, and each is an event of the scheduling provider. Rows from before are of
-- the session that starts at their time, which of a single session is number 1.
alter table calendar_bookings
    add column session_number integer not null default 1 check (session_number >= 1);
update calendar_bookings k
set session_number = 1 + (select count(*) from slot_reservations earlier
                          where earlier.booking_id = k.booking_id
                            and earlier.starts_at < k.starts_at);
alter table calendar_bookings
    drop constraint calendar_bookings_pkey,
    add primary key (booking_id, session_number);
