-- Whether the client came, of each session that is marked: its number and a word, for the day's list.

alter table bookings add column marks jsonb not null default '{}';

update bookings
set marks = told.marks
from (
    select booking_id, jsonb_object_agg(number, word) as marks
    from (
        select distinct on (stream_id, number)
               payload ->> 'bookingId' as booking_id, number,
               lower(replace(payload ->> 'attendance', 'ATTENDANCE_', '')) as word
        from (select *, payload ->> 'sessionNumber' as number from events
              where event_type = 'booking.v1.BookingAttendanceMarked') marked
        order by stream_id, number, version desc) last
    where word <> 'unmarked'
    group by booking_id) told
where told.booking_id = 'bkg_' || replace(bookings.booking_id::text, '-', '');
