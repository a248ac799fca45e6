-- The secret addresses at which other calendars read a client's own sessions. The secret is not here: it is
-- derived from the id and BOOKING_FEED_KEY, as that of a practitioner's sessions.
create table own_calendars (
    customer_id uuid primary key,
    feed_id uuid not null unique,
    details boolean not null,
    renewed_at timestamptz not null
);
comment on table own_calendars is 'Ids only, no personal data.';
comment on column own_calendars.details is 'Whether it shows the service, the practitioner and the place.';
