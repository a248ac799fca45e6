-- How often a session was moved, and how often of that by its client without staff. The row of a session
-- that is moved keeps its place and gets the new time.
alter table slot_reservations add column moves integer not null default 0;
alter table slot_reservations add column own_moves integer not null default 0;
