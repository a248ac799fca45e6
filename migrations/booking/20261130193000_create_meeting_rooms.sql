-- What was asked of a meeting provider that knows no idempotency key, written down before the call.
-- Of other providers there are no rows.
create table meeting_rooms (
    booking_id uuid primary key,
    -- The provider's user, whose meeting it is.
    provider_user text not null,
    -- A keyed hash of the booking, which the provider's meeting carries and by which it is found.
    mark text not null,
    -- The provider's number of the meeting, once its answer came.
    number text,
    -- asked: perhaps made. ending: to be removed at the provider. left: it stays there.
    state text not null check (state in ('asked', 'made', 'ending', 'ended', 'left')),
    asked_at timestamptz not null,
    -- How often its removal failed.
    attempts integer not null default 0
);
comment on table meeting_rooms is 'personal';
