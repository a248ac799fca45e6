-- Leaves to moderate, each given to one browser for a short while.
create table moderation_grants (
    -- SHA-256 of the secret that the browser holds; the secret itself is nowhere here.
    grant_sha256 bytea primary key check (length(grant_sha256) = 32),
    -- Whose it is: "usr_…", or "passphrase" where the practice shares one.
    actor text not null,
    -- Their role when they unlocked; empty for "passphrase".
    role text not null,
    unlocked_at timestamptz not null,
    -- When it last let a call through.
    used_at timestamptz not null,
    -- When it was given back, or another one of the same browser took its place.
    ended_at timestamptz
);
create index moderation_grants_by_start on moderation_grants (unlocked_at);
comment on table moderation_grants is 'Who may moderate now. Hashes and ids only.';

-- How often the panel was opened with a wrong password, and until when nobody may try again.
create table moderation_tries (
    -- Who or what is counted: "usr_…", the network address of a visitor, or "everybody".
    tried_by text primary key,
    failures integer not null check (failures >= 0),
    blocked_until_at timestamptz not null,
    forget_at timestamptz not null
);
create index moderation_tries_by_end on moderation_tries (forget_at);
comment on table moderation_tries is 'personal: network addresses, for a day at most';
