-- Who waits for a time that becomes free.
create table waiting_entries (
    waiting_id uuid primary key,
    customer_id uuid not null,
    service_id text not null,
    service_title text not null,
    -- Null for anyone who gives the service.
    practitioner_id text,
    mode text not null check (mode in ('online', 'in_person')),
    from_date date not null,
    until_date date not null,
    -- 1 for Monday to 7 for Sunday; empty means all.
    weekdays smallint[] not null,
    day_parts text[] not null,
    notice_minutes integer not null,
    -- The booking for which an earlier time is wanted; null for a new one.
    earlier_than uuid,
    first_name text not null,
    email text not null,
    joined_at timestamptz not null,
    ends_at timestamptz not null,
    -- left: by the client. removed: by staff. ended: the booking that was to be earlier is over.
    state text not null check (state in ('waiting', 'booked', 'left', 'removed', 'ended')),
    ended_at timestamptz,
    -- Why staff ended it.
    reason text,
    offers_lapsed integer not null default 0
);
create index waiting_entries_in_order on waiting_entries (joined_at, waiting_id)
    where state = 'waiting';
create index waiting_entries_by_customer on waiting_entries (customer_id) where state = 'waiting';
create index waiting_entries_by_booking on waiting_entries (earlier_than)
    where state = 'waiting' and earlier_than is not null;
create index waiting_entries_ended on waiting_entries (ended_at) where state <> 'waiting';
comment on table waiting_entries is 'personal';

-- A time that is held, or was, for one of them: the closed time of its id is on the practitioner's day.
create table waiting_offers (
    offer_id uuid primary key,
    waiting_id uuid not null references waiting_entries on delete cascade,
    customer_id uuid not null,
    practitioner_id text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    offered_at timestamptz not null,
    held_until_at timestamptz not null,
    -- withdrawn: by staff.
    state text not null check (state in ('open', 'taken', 'lapsed', 'declined', 'withdrawn')),
    -- Why staff offered it out of the order.
    reason text
);
create unique index waiting_offers_open on waiting_offers (customer_id) where state = 'open';
create index waiting_offers_by_entry on waiting_offers (waiting_id);
create index waiting_offers_by_time on waiting_offers (customer_id, practitioner_id, starts_at);
comment on table waiting_offers is 'personal';

-- Times that became free while there was a wait list. A time that is taken again stays here until it is
-- past: only what is free is offered.
create table freed_times (
    practitioner_id text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    freed_at timestamptz not null,
    primary key (practitioner_id, starts_at, ends_at)
);
