-- Confirmed sessions as events of an external scheduling provider, where the practice uses one. What is
-- wanted follows from the bookings; a row says what the provider has.
create table calendar_bookings (
    booking_id uuid primary key,
    -- The provider's address of it, resource.uri: the calendar booking's id.
    uri text,
    -- The provider's address of the event, by which it is cancelled.
    event_uri text,
    state text not null check (state in ('failing', 'created', 'cancelled')),
    -- What the provider said the last time that it did not do it; empty otherwise.
    problem text not null default '',
    -- When it is tried again.
    retry_at timestamptz,
    attempts integer not null default 0,
    starts_at timestamptz not null,
    check ((uri is not null and event_uri is not null) or state = 'failing')
);
create index calendar_bookings_by_start on calendar_bookings (starts_at) where state <> 'cancelled';
-- What a provider says may quote the client's address.
comment on table calendar_bookings is 'personal';
