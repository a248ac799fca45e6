-- Whether every session of a booking that was not cancelled is marked as one to which its client did
-- not come.

alter table bookings add column no_show boolean not null default false;
