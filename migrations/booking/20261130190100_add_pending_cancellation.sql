-- A client's cancellation that has not taken effect: the number of its session (null for all), what will go
-- back, and when it takes effect.
alter table bookings add column pending_cancellation jsonb;
comment on column bookings.pending_cancellation is
    'The cancellation under way; null while there is none. No personal data.';
