-- The practice as an organisation: members with roles, invitations, and what changed of them.

create table practices (
    practice_id uuid primary key,
    -- A server has one practice; a second one needs more than a second row.
    is_the_only_one boolean not null default true unique check (is_the_only_one),
    made_at timestamptz not null default clock_now()
);
comment on table practices is 'Ids only, no personal data. The name stands in practice.toml.';
insert into practices (practice_id) values (gen_random_uuid());

-- Members are the staff members that there are; a process of the release before goes on adding rows.
alter table staff_members
    add column practice_id uuid references practices,
    -- The practitioner whose calendar and clients are the member's own; null if none is linked.
    add column practitioner_id text;
update staff_members set practice_id = (select practice_id from practices);
do $$
begin
    execute format('alter table staff_members alter column practice_id set default %L',
                   (select practice_id from practices));
end
$$;
alter table staff_members alter column practice_id set not null;

-- The proved addresses of members' accounts, as their access tokens had them last.
create table staff_addresses (
    user_id uuid primary key references staff_members,
    email text not null check (email = lower(email)),
    proved_at timestamptz not null
);
create index staff_addresses_by_email on staff_addresses (email);
comment on table staff_addresses is 'personal';

create table staff_invitations (
    invitation_id uuid primary key,
    practice_id uuid not null references practices,
    email text not null check (email = lower(email)),
    role text not null check (role in ('owner', 'admin', 'practitioner', 'front_desk')),
    practitioner_id text,
    -- Without a row that says so, an invitation is expired from expires_at on.
    state text not null default 'pending'
        check (state in ('pending', 'accepted', 'declined', 'withdrawn', 'expired')),
    -- The account of the member who sent it.
    invited_by uuid not null,
    invited_at timestamptz not null,
    -- The secret is not here: it is derived from this id and BOOKING_FEED_KEY, and is compared with its hash.
    token_id uuid not null,
    token_hash bytea not null unique check (octet_length(token_hash) = 32),
    -- How many mails were asked for; the version of the stream invitation-<uuid>.
    mails bigint not null default 1,
    expires_at timestamptz not null,
    -- The account that accepted or declined it.
    answered_by uuid,
    ended_at timestamptz
);
create unique index staff_invitations_pending on staff_invitations (email) where state = 'pending';
create index staff_invitations_by_time on staff_invitations (invited_at);
create index staff_invitations_by_inviter on staff_invitations (invited_by) where state = 'pending';
comment on table staff_invitations is 'personal';

-- Who changed which membership. Rows are never changed.
create table membership_changes (
    change_id bigint generated always as identity primary key,
    changed_at timestamptz not null,
    practice_id uuid not null references practices,
    -- The account's id, "usr_…", or "operator".
    actor text not null,
    kind text not null,
    -- The member; null for an invitation that was not accepted.
    user_id uuid,
    invitation_id uuid,
    -- Empty for none.
    role_before text not null,
    role_after text not null
);
create trigger membership_changes_are_immutable before update or delete on membership_changes
    for each row execute function refuse_change();
create trigger membership_changes_are_not_truncated before truncate on membership_changes
    for each statement execute function refuse_change();
comment on table membership_changes is 'Who changed the members of the practice. Ids only, no personal data.';
