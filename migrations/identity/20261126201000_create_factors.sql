-- Second factors, passkeys and recovery codes of accounts, the challenges that they answer, and the
-- notices about them that are mailed.

create table factors (
    factor_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    -- The name that its owner gave it; may be empty.
    friendly_name text not null default '',
    factor_type text not null check (factor_type in ('totp', 'phone', 'webauthn')),
    status text not null default 'unverified' check (status in ('unverified', 'verified')),
    -- The secret of a totp factor, sealed with a key that is derived from IDENTITY_CODE_KEY.
    secret_sealed bytea,
    -- Of a phone factor: digits only, without the plus sign.
    phone text check (phone ~ '^[1-9][0-9]{6,14}$'),
    -- The credential of a webauthn factor, once it is verified.
    credential_id bytea unique,
    -- The credential's public key with the extensions that apply to it, as webauthn_rp writes it.
    public_key bytea,
    -- What the credential said last: signature counter, user verification, backup.
    credential_state bytea,
    transports smallint not null default 0,
    -- The time step of the last accepted code: no step is accepted twice.
    last_totp_step bigint,
    last_challenged_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check (factor_type <> 'totp' or secret_sealed is not null),
    check (factor_type <> 'phone' or phone is not null),
    check (factor_type <> 'webauthn' or status = 'unverified'
           or (credential_id is not null and public_key is not null
               and credential_state is not null))
);
create unique index factors_by_user_and_name on factors (user_id, friendly_name);
create index factors_unverified on factors (created_at) where status = 'unverified';
comment on table factors is 'personal';

create table passkeys (
    passkey_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    friendly_name text not null,
    -- What the authenticator returns as its owner: the account's id in 16 bytes.
    user_handle bytea not null,
    credential_id bytea not null unique,
    public_key bytea not null,
    credential_state bytea not null,
    transports smallint not null default 0,
    last_used_at timestamptz,
    created_at timestamptz not null
);
create index passkeys_by_user on passkeys (user_id);
comment on table passkeys is 'personal';

-- What a client has to answer, once and within minutes.
create table challenges (
    challenge_id uuid primary key,
    kind text not null check (kind in (
        'factor', 'factor_create', 'factor_request', 'passkey_create', 'passkey_request')),
    -- Null for the sign-in by a passkey, where the account is not known yet.
    user_id uuid references users on delete cascade,
    factor_id uuid references factors on delete cascade,
    -- The session that asked.
    session_id uuid references sessions on delete cascade,
    -- The network address that asked.
    network text,
    -- The state of a ceremony, as webauthn_rp writes it; of a phone's code its hash.
    state bytea,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    verified_at timestamptz
);
create index challenges_by_end on challenges (expires_at);
create index challenges_by_user on challenges (user_id);
create index challenges_by_factor on challenges (factor_id);
create index challenges_by_session on challenges (session_id);
comment on table challenges is 'personal';

-- Codes that replace a lost factor, each usable once. Only keyed hashes are kept.
create table recovery_codes (
    user_id uuid not null references users on delete cascade,
    code_hash bytea not null,
    created_at timestamptz not null,
    primary key (user_id, code_hash)
);
comment on table recovery_codes is 'personal';

-- Wrong answers for a factor, or for the recovery codes of an account: then the subject is its id.
create table factor_limits (
    subject_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    failures int not null,
    blocked_until_at timestamptz not null,
    forget_at timestamptz not null
);
create index factor_limits_by_end on factor_limits (forget_at);
create index factor_limits_by_user on factor_limits (user_id);
comment on table factor_limits is 'personal';

-- What a person is told of a change to the account, until it is mailed.
create table account_notices (
    notice_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    kind text not null check (kind in (
        'new_device', 'password_changed', 'email_changed', 'factor_added', 'factor_removed',
        'passkey_added', 'passkey_removed', 'recovery_code_used', 'recovery_codes_made',
        'factors_reset')),
    -- Where it goes, when that is not the account's address: the former one.
    sent_to text,
    -- The device that made the change, in words, and its network address, shortened.
    device text not null default '',
    network text not null default '',
    -- What the factor is, in words. Nothing that was typed.
    subject text not null default '',
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index account_notices_by_end on account_notices (expires_at);
create index account_notices_by_user on account_notices (user_id);
comment on table account_notices is 'personal';

create index sessions_by_factor on sessions (factor_id) where factor_id is not null;
