-- Staff look for a booking by its reference, the last eight digits of its id, which mails quote.

create index bookings_by_reference on bookings (right(booking_id::text, 8));
