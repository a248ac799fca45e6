-- The keys of bookings' pages, one for each mail. Links of releases before have no row: their key is
-- derived from the booking's id, and gets a row here when it ends.
create table page_keys (
    key_id uuid primary key,
    -- SHA-256 of the key. The key itself is derived from key_id and BOOKING_FEED_KEY.
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    booking_id uuid not null,
    -- The page that it opens: 'page' agrees and pays, 'join' leads to the session.
    purpose text not null check (purpose in ('page', 'join')),
    -- What the key was made for: the id of a mail, or the request of a member of the staff.
    made_for text not null,
    -- The address in lower case that got it; empty where no mail has it.
    mailed_to text not null default '' check (mailed_to = lower(mailed_to)),
    -- Whether an answer showed it to a member of the staff, so that it proves nothing about the client.
    seen_by_staff boolean not null default false,
    made_at timestamptz not null,
    ended_at timestamptz,
    ended_why text check (ended_why in ('adopted', 'renewed')),
    check ((ended_at is null) = (ended_why is null)),
    unique (booking_id, purpose, made_for)
);
comment on table page_keys is 'personal';

-- When money of a refund arrived. Null in rows of releases before.
alter table booking_refunds add column processed_at timestamptz;

-- Requests for a new key: the pace is per network and per booking.
create table page_key_requests (
    request_id uuid primary key,
    -- Null where no mail followed.
    booking_id uuid,
    -- SHA-256 with a key; null where the network is unknown.
    network_hash bytea,
    requested_at timestamptz not null
);
create index page_key_requests_by_booking on page_key_requests (booking_id, requested_at);
create index page_key_requests_by_network on page_key_requests (network_hash, requested_at);
create index page_key_requests_by_time on page_key_requests (requested_at);
comment on table page_key_requests is 'personal';
