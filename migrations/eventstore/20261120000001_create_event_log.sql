-- The event log of one service: the only store of truth. Every service database has these tables.

-- One clock for everybody: the database's time plus an offset that only tests can set.
create table clock (
    only_row boolean primary key default true check (only_row),
    offset_by interval not null default '0'
);
insert into clock default values;
create function clock_now() returns timestamptz language sql volatile as
    $$ select clock_timestamp() + offset_by from clock $$;

create table events (
    seq bigint generated always as identity primary key,
    event_id uuid not null unique,
    stream_id text not null,
    version bigint not null check (version > 0),
    event_type text not null,
    payload jsonb not null,
    metadata jsonb not null,
    recorded_at timestamptz not null,
    unique (stream_id, version)
);
comment on table events is 'What happened, for ever. Ids only, never personal data.';

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'the event log is immutable' using errcode = 'restrict_violation';
end $$;
create trigger events_are_immutable before update or delete on events
    for each row execute function refuse_change();
create trigger events_are_not_truncated before truncate on events
    for each statement execute function refuse_change();

-- Events that have no position yet. A row exists from the append to the relay's next pass.
create table outbox (
    seq bigint primary key references events (seq)
);

-- The order in which others see events: gapless, given after commit by the one active relay.
create table feed (
    position bigint primary key check (position > 0),
    seq bigint not null unique references events (seq)
);

-- How far the relay has published to NATS. Losing it would only publish again.
create table relay (
    only_row boolean primary key default true check (only_row),
    published_position bigint not null default 0
);
insert into relay default values;

-- How far a consumer of this service has come in a source's feed: inbox, order and hole detector.
create table checkpoints (
    consumer text not null,
    source text not null,
    position bigint not null default 0,
    failures int not null default 0,
    primary key (consumer, source)
);

-- Events that failed too often, and later events of the same streams behind them.
create table parked_events (
    consumer text not null,
    source text not null,
    position bigint not null,
    event_id uuid not null,
    stream_id text not null,
    version bigint not null,
    event_type text not null,
    payload jsonb not null,
    metadata jsonb not null,
    recorded_at timestamptz not null,
    error text not null,
    parked_at timestamptz not null default clock_now(),
    primary key (consumer, source, position)
);
create index parked_events_by_stream on parked_events (consumer, source, stream_id);

-- Work for later: a deadline, or a job in the outside world. One per kind and subject.
create table timers (
    timer_id uuid primary key default gen_random_uuid(),
    kind text not null,
    subject text not null,
    due_at timestamptz not null,
    payload jsonb not null default '{}',
    -- What led to it, so that its work belongs to the same trace.
    metadata jsonb not null default '{}',
    attempts int not null default 0,
    -- Until when a worker has it. A lease measures a process's life, so it runs on the real clock.
    lease_until_at timestamptz not null default '-infinity',
    unique (kind, subject)
);
create index timers_by_due on timers (due_at);

-- What a caller's key was answered with, so that the same key gets the first answer.
create table idempotency_keys (
    caller text not null,
    method text not null,
    key text not null,
    request_hash bytea not null,
    answer text not null,
    recorded_at timestamptz not null default clock_now(),
    primary key (caller, method, key)
);
