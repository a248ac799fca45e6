-- The payment that a booking is placed with, as booking said: its receipt is due once that money counts
-- here, which after a restore of this database may be later.
alter table known_bookings add column placed_payment_id text;
