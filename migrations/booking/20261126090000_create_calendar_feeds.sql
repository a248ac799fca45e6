-- The secret addresses at which other calendars read a practitioner's sessions. The secret is not here: it
-- is derived from the id and BOOKING_FEED_KEY.
create table calendar_feeds (
    practitioner_id text primary key,
    feed_id uuid not null unique,
    shows_client_names boolean not null,
    renewed_at timestamptz not null
);
comment on table calendar_feeds is 'Ids only, no personal data.';
