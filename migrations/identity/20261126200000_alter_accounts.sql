-- What the whole contract knows of an account: phone, several identities, a change of address that
-- waits for its codes, flows with PKCE. Processes of the version before go on inserting rows without
-- these columns, so each has a default.

alter table users
    -- An account by phone, and an anonymous one, has no address.
    alter column email drop not null,
    -- Digits only, without the plus sign.
    add column phone text unique check (phone ~ '^[1-9][0-9]{1,14}$'),
    add column phone_confirmed_at timestamptz,
    -- The address that replaces the account's one when its codes are redeemed.
    add column new_email text check (new_email = lower(new_email)),
    add column email_change_sent_at timestamptz,
    -- Which of the two addresses have confirmed the change: 1 the current one, 2 the new one.
    add column email_change_confirmed smallint not null default 0,
    add column new_phone text check (new_phone ~ '^[1-9][0-9]{1,14}$'),
    add column phone_change_sent_at timestamptz,
    -- Written by administrators only. The default is right for accounts with an address, which are
    -- all that the version before makes.
    add column app_metadata jsonb not null
        default '{"provider": "email", "providers": ["email"]}'
        check (jsonb_typeof(app_metadata) = 'object'),
    add column is_anonymous boolean not null default false,
    add column invited_at timestamptz,
    add column reauthentication_sent_at timestamptz,
    -- Deleted by an administrator who keeps the row.
    add column deleted_at timestamptz;
create index users_by_new_email on users (new_email) where new_email is not null;
create index users_by_new_phone on users (new_phone) where new_phone is not null;

-- The ways in which an account is known: an address, a phone, an account at another provider. An
-- account that the version before has made since has none; its address is taken from users.
create table identities (
    identity_id uuid primary key,
    user_id uuid not null references users on delete cascade,
    provider text not null,
    -- The account's name at the provider; the account's id for an address or a phone.
    provider_id text not null,
    identity_data jsonb not null default '{}' check (jsonb_typeof(identity_data) = 'object'),
    email text,
    last_sign_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (provider, provider_id)
);
create index identities_by_user on identities (user_id);
comment on table identities is 'personal';

insert into identities (identity_id, user_id, provider, provider_id, identity_data, email,
                        last_sign_in_at, created_at, updated_at)
select identity_id, user_id, 'email', user_id::text,
       user_metadata || jsonb_build_object(
           'sub', user_id, 'email', email, 'email_verified', email_confirmed_at is not null,
           'phone_verified', false),
       email, last_sign_in_at, created_at, updated_at
from users;

-- The client's half of a flow with PKCE, until it is exchanged for a session.
create table flow_states (
    flow_state_id uuid primary key,
    auth_code uuid not null unique,
    user_id uuid references users on delete cascade,
    code_challenge text not null,
    code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
    provider_type text not null,
    authentication_method text not null,
    redirect_to text,
    -- The password of the sign-up that this flow belongs to. A link that is opened elsewhere takes
    -- it from the account; the client that has the verifier puts it back.
    password_hash text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- When the person came back from the mail or the provider; before, the code is worth nothing.
    auth_code_issued_at timestamptz
);
create index flow_states_by_end on flow_states (expires_at);
create index flow_states_by_user on flow_states (user_id);
comment on table flow_states is 'personal';

alter table codes drop constraint codes_purpose_check;
alter table codes add constraint codes_purpose_check check (purpose in (
    'signup', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new',
    'reauthentication', 'phone', 'phone_change'));
alter table codes
    -- Where it was sent, when that is not the account's address.
    add column sent_to text,
    -- The flow that its link goes on with.
    add column flow_state_id uuid references flow_states on delete set null;

alter table address_limits drop constraint address_limits_kind_check;
alter table address_limits add constraint address_limits_kind_check check (kind in (
    'password', 'code', 'signup_mail', 'recovery_mail', 'magiclink_mail', 'invite_mail',
    'change_mail', 'reauthentication_mail', 'phone_message'));

alter table sessions
    add column aal text not null default 'aal1' check (aal in ('aal1', 'aal2', 'aal3')),
    add column user_agent text,
    add column network text,
    -- The factor that made it aal2.
    add column factor_id uuid,
    -- Ends it before ends_at.
    add column not_after timestamptz;
