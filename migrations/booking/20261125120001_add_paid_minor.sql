-- How much was captured for a booking, where an offer of the provider took something off its price:
-- a refund of that much leaves nothing.

alter table bookings add column paid_minor bigint check (paid_minor > 0);
