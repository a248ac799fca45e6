-- What visitors scheduled in the provider's own widget. An event is kept for a booking for a while,
-- and then cancelled at the provider.
create table scheduled_events (
    -- The provider's addresses of the event and of its invitee.
    event_uri text primary key,
    invitee_uri text not null,
    -- The page that scheduled it, 128 random bits.
    visit_id uuid not null,
    service_id text not null,
    starts_at timestamptz not null,
    -- From then on no booking can have it.
    until_at timestamptz not null,
    -- taken: no booking has it yet.
    state text not null check (state in ('taken', 'booked', 'cancelled')),
    booking_id uuid,
    -- When its cancellation is tried again, and how often it failed.
    retry_at timestamptz,
    attempts integer not null default 0,
    check ((state = 'booked') = (booking_id is not null))
);
create index scheduled_events_by_end on scheduled_events (until_at) where state <> 'booked';
comment on table scheduled_events is
    'Events that were scheduled in the provider''s widget. Ids only, no personal data.';
