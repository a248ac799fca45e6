-- A price may be zero: a free consultation is a booking, too.
alter table bookings drop constraint bookings_price_minor_check;
alter table bookings add constraint bookings_price_minor_check check (price_minor >= 0);
