-- When practitioners are busy by their own calendars. It is what other programs say and no event of ours:
-- it is read again every few minutes, closes times while it is here, and never moves a booking.

-- One row for each calendar of practice.toml that was tried.
create table calendar_sources (
    calendar_id text primary key,
    practitioner_id text not null,
    -- The last time that it was read, and tried.
    read_at timestamptz,
    tried_at timestamptz not null,
    -- Since when it cannot be read, and why; its last busy times stay.
    failing_since_at timestamptz,
    problem text,
    -- Of the last reading: how many events it had, and how many of them were not understood.
    events integer not null default 0,
    odd_events integer not null default 0,
    -- The server's name for what was read, so that it need not send the same again.
    etag text,
    -- When all of it was read; the busy times reach to the last bookable day of then.
    expanded_at timestamptz,
    check ((failing_since_at is null) = (problem is null))
);
comment on table calendar_sources is 'Ids only, no personal data.';

-- The times alone; texts of a private calendar are kept nowhere. They belong to a person all the same.
create table busy_times (
    calendar_id text not null references calendar_sources on delete cascade,
    practitioner_id text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored,
    primary key (calendar_id, starts_at),
    check (starts_at < ends_at)
);
create index busy_times_by_time on busy_times using gist (practitioner_id, during);
comment on table busy_times is 'personal';
