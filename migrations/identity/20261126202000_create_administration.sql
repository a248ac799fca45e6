-- Keys with which an operator's programs administer accounts. The key itself is a signed token and
-- is stored nowhere; the row names it and can end it.
create table service_keys (
    key_id uuid primary key,
    name text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
);
create index service_keys_by_name on service_keys (name);
create index service_keys_by_end on service_keys (expires_at);

-- What was done to accounts, by the id of account or key and never by a name of a person. Entries
-- outlive their account, so they refer to none.
create table audit_entries (
    audit_id uuid primary key,
    created_at timestamptz not null,
    -- The account or the service key that did it.
    actor_id uuid,
    -- The name of the service key.
    actor_name text not null default '',
    action text not null,
    log_type text not null,
    traits jsonb not null default '{}' check (jsonb_typeof(traits) = 'object'),
    network text
);
create index audit_entries_by_time on audit_entries (created_at, audit_id);
comment on table audit_entries is 'personal';

-- Accounts are listed by their age.
create index users_by_age on users (created_at, user_id);
-- Anonymous accounts that are not used any more are deleted.
create index users_anonymous on users (updated_at) where is_anonymous;
