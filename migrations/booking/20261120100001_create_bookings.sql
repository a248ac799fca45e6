-- What booking's own reads need, written in the transaction that appends the events.

-- Hosted databases let an owner do this; elsewhere the operator has done it before.
create extension if not exists btree_gist;

create table bookings (
    booking_id uuid primary key,
    customer_id uuid not null,
    service_id text not null,
    service_title text not null,
    price_minor bigint not null check (price_minor > 0),
    price_currency text not null,
    practitioner_id text not null,
    mode text not null check (mode in ('online', 'in_person')),
    state text not null check (state in (
        'held', 'awaiting_payment', 'confirmed', 'meeting_scheduled', 'completed', 'expired',
        'released', 'paid_unplaced')),
    -- Set while the time is held.
    held_until_at timestamptz,
    checkout_opened boolean not null default false,
    payment_state text not null default 'pending' check (payment_state in (
        'pending', 'claimed', 'paid', 'failed', 'refunding', 'refunded')),
    -- The refund that payment_state speaks of.
    refund_id text,
    mail_state text not null default 'none' check (mail_state in ('none', 'sent', 'failed')),
    requested_at timestamptz not null,
    -- Grows with every change of what its owner sees.
    version bigint not null default 1,
    check ((held_until_at is not null) = (state in ('held', 'awaiting_payment')))
);
create index bookings_by_customer on bookings (customer_id, requested_at);
comment on table bookings is 'Where each booking stands. Ids only, no personal data.';

-- Who comes and where to: what nobody but the owner, the practice and its mails may see.
create table booking_contacts (
    booking_id uuid primary key,
    first_name text not null,
    last_name text not null,
    email text not null,
    phone text not null,
    notes text not null,
    terms_accepted_at timestamptz not null,
    -- The meeting's link is a key to the room.
    join_url text not null default ''
);
comment on table booking_contacts is 'personal';

-- Every session of every booking. One that is live has its time to itself: the second lock behind
-- the practitioner's day, which the database keeps even where the program errs.
create table slot_reservations (
    booking_id uuid not null,
    practitioner_id text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored,
    -- Until when it is held; null once it is booked.
    held_until_at timestamptz,
    live boolean not null,
    primary key (booking_id, starts_at),
    constraint slots_do_not_overlap
        exclude using gist (practitioner_id with =, during with &&) where (live)
);
create index slot_reservations_by_time on slot_reservations (practitioner_id, starts_at)
    where live;
