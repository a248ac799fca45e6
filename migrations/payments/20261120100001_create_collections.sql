-- What payments' own reads and jobs need, written in the transaction that appends the events.

-- What each booking's money has come to.
create table collections (
    booking_id uuid primary key,
    -- The provider's receipt.
    collection_id uuid not null unique,
    customer_id uuid not null,
    amount_minor bigint not null check (amount_minor > 0),
    amount_currency text not null,
    -- The one order of this booking at the provider, once there is one.
    order_id text unique,
    ordered_at timestamptz,
    state text not null check (state in (
        'pending', 'paid', 'failed', 'mismatched', 'refunding', 'refunded')),
    verified_payment_id text unique,
    opened_at timestamptz not null,
    -- The trace of the call that began it.
    traceparent text,
    -- Whose turn it is to create the order. It measures a process's life, so it runs on the real
    -- clock; a second turn looks for what the first may have left at the provider.
    ordering_until_at timestamptz not null default '-infinity',
    ordering_turns int not null default 0,
    check ((order_id is null) = (ordered_at is null))
);
comment on table collections is 'What each booking''s money has come to. Ids only.';

-- Money that goes back. A refund that failed at the provider is followed by another one.
create table refunds (
    refund_id uuid primary key,
    booking_id uuid not null references collections (booking_id),
    payment_id text not null,
    amount_minor bigint not null,
    amount_currency text not null,
    cause text not null check (cause in ('unplaced', 'mismatched', 'double')),
    state text not null check (state in ('requested', 'accepted', 'processed', 'failed')),
    provider_refund_id text,
    requested_at timestamptz not null
);
-- A payment has one refund under way at most. One that failed may still turn out to have been
-- processed, so ends do not count here.
create unique index refunds_under_way on refunds (payment_id)
    where state in ('requested', 'accepted');

-- Bookings that were announced: who owns them, and the trace in which they began, so that one trace
-- shows a booking from the first click to the mail.
create table known_bookings (
    booking_id uuid primary key,
    customer_id uuid not null,
    traceparent text
);

-- Every webhook whose signature was good, written before it is answered. Its id and hash stay; the
-- same body under another id is the same webhook.
create table webhook_inbox (
    event_id text primary key,
    body_sha256 bytea not null unique,
    -- As it arrived, for 90 days; it may name the payer.
    raw bytea,
    received_at timestamptz not null,
    -- The order that it waits for, while we do not know it.
    waits_for_order_id text,
    folded_at timestamptz
);
create index webhook_inbox_by_order on webhook_inbox (waits_for_order_id)
    where waits_for_order_id is not null;
create index webhook_inbox_by_age on webhook_inbox (received_at) where raw is not null;
comment on table webhook_inbox is 'personal';
