-- Sessions that ended while their access tokens may still be valid elsewhere; other services ask
-- for them. Kept for two hours, longer than any access token lives.
create table ended_sessions (
    session_id uuid primary key,
    ended_at timestamptz not null
);
create index ended_sessions_by_end on ended_sessions (ended_at);
comment on table ended_sessions is 'personal';

-- A trigger, so that no way of ending a session is forgotten: sign-out, new password, a reused
-- refresh token, an account that is deleted.
create function record_ended_session() returns trigger language plpgsql as $$
begin
    if old.refreshed_at > clock_now() - interval '2 hours' then
        insert into ended_sessions (session_id, ended_at) values (old.session_id, clock_now())
        on conflict (session_id) do nothing;
    end if;
    return null;
end $$;
create trigger record_end after delete on sessions
    for each row execute function record_ended_session();

-- Their sessions stay, and are refused until the ban is over.
create index users_by_ban on users (banned_until_at) where banned_until_at is not null;
