-- Who has an account. Plain rows: nobody asks for the history of a password.

create table users (
    user_id uuid primary key,
    -- The one identity of an account, address and password, has an id of its own in the contract.
    identity_id uuid not null unique,
    -- In lower case.
    email text not null unique check (email = lower(email)),
    -- PHC string. Null once somebody proved to own the address of an account that nobody had
    -- confirmed: whoever made it may know the password.
    password_hash text,
    -- What people say about themselves: firstName, lastName, phone.
    user_metadata jsonb not null default '{}' check (jsonb_typeof(user_metadata) = 'object'),
    email_confirmed_at timestamptz,
    confirmation_sent_at timestamptz,
    recovery_sent_at timestamptz,
    last_sign_in_at timestamptz,
    banned_until_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
comment on table users is 'personal';

-- Somebody is signed in. Deleting the row ends it, for its access tokens too.
create table sessions (
    session_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    -- How they proved who they are: the amr claim, newest first.
    proofs jsonb not null,
    -- A code from the mail lets a new password be set without the old one, until then and once.
    password_reset_until_at timestamptz,
    created_at timestamptz not null,
    refreshed_at timestamptz not null,
    ends_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_end on sessions (ends_at);
comment on table sessions is 'personal';

-- The tokens of a session, each used once. Those that were used stay, so that a second use is seen.
create table refresh_tokens (
    token_hash bytea primary key,
    session_id uuid not null references sessions on delete cascade,
    issued_at timestamptz not null,
    replaced_at timestamptz,
    -- The one that took its place, by its hash, and sealed with the token itself: only who holds the
    -- token can open it.
    child_hash bytea,
    child_sealed bytea,
    check ((replaced_at is null) = (child_hash is null)),
    check ((replaced_at is null) = (child_sealed is null))
);
create index refresh_tokens_by_session on refresh_tokens (session_id);
comment on table refresh_tokens is 'personal';

-- A code that was mailed. The code itself is not here: it is derived from the id and a secret key.
create table codes (
    code_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    purpose text not null check (purpose in ('signup', 'recovery')),
    -- Where the link of the mail leads; null for the usual page.
    redirect_to text,
    wrong_tries int not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    unique (user_id, purpose)
);
create index codes_by_expiry on codes (expires_at);
comment on table codes is 'personal';

-- Failed guesses and mails that were asked for, per address, whether or not it has an account. The
-- address is a keyed hash.
create table address_limits (
    address_hash bytea not null,
    kind text not null check (kind in ('password', 'code', 'signup_mail', 'recovery_mail')),
    failures int not null default 0,
    blocked_until_at timestamptz not null,
    forget_at timestamptz not null,
    primary key (address_hash, kind)
);
create index address_limits_by_end on address_limits (forget_at);
comment on table address_limits is 'personal';
