-- How the sessions of a package have ended, as booking said: number, share of the price and, where
-- it was cancelled, what of it goes back. Money that is learnt of afterwards goes the same way.
alter table known_bookings add column session_ends jsonb not null default '[]';
