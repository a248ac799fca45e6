-- Takes away what had ended. Roles in the order of what they may do.
create temp table ranks (role text primary key, rank int not null) on commit drop;
insert into ranks values ('owner', 4), ('admin', 3), ('practitioner', 2), ('front_desk', 1);

with gone as (
    update staff_members set active = false
    where active and not (select list -> 'members' from rights) ? user_id::text
    returning user_id, role), noted as (
    insert into membership_changes (changed_at, practice_id, actor, kind, user_id, role_before,
                                    role_after)
    select clock_now(), practice_id, 'operator', 'removed', user_id, role, '' from gone, practices)
insert into differences select 'members who had been removed', count(*) from gone;

with lowered as (
    select m.user_id, m.role as role_before, now.value as role_after
    from staff_members m, rights, jsonb_each_text(list -> 'members') now, ranks old, ranks new
    where m.active and m.user_id = now.key::uuid and old.role = m.role and new.role = now.value
      and new.rank < old.rank), changed as (
    update staff_members m set role = lowered.role_after from lowered
    where m.user_id = lowered.user_id), noted as (
    insert into membership_changes (changed_at, practice_id, actor, kind, user_id, role_before,
                                    role_after)
    select clock_now(), practice_id, 'operator', 'role_changed', user_id, role_before, role_after
    from lowered, practices)
insert into differences select 'members whose role had been lowered', count(*) from lowered;

with ended as (
    update staff_invitations set state = 'withdrawn', ended_at = clock_now()
    where state = 'pending'
      and not (select list -> 'invitations' from rights) ? invitation_id::text returning 1)
insert into differences select 'invitations that had ended', count(*) from ended;

with renewed as (
    update calendar_feeds f set feed_id = now.value::uuid, renewed_at = clock_now()
    from rights, jsonb_each_text(list -> 'feeds') now
    where f.practitioner_id = now.key and f.feed_id <> now.value::uuid returning 1)
insert into differences select 'calendar addresses that had been renewed', count(*) from renewed;

with gone as (
    delete from calendar_feeds
    where not (select list -> 'feeds' from rights) ? practitioner_id returning 1)
insert into differences select 'calendar addresses that had ended', count(*) from gone;

-- A list of a release before says nothing of them, and ends none.
do $feeds$
begin
    if to_regclass('own_calendars') is null then
        return;
    end if;
    with renewed as (
        update own_calendars f set feed_id = now.value::uuid, renewed_at = clock_now()
        from rights, jsonb_each_text(rights.list -> 'own_feeds') now
        where f.customer_id = now.key::uuid and f.feed_id <> now.value::uuid returning 1)
    insert into differences
    select 'calendar addresses of clients that had been renewed', count(*) from renewed;
    with gone as (
        delete from own_calendars
        where not (select list -> 'own_feeds' from rights) ? customer_id::text returning 1)
    insert into differences
    select 'calendar addresses of clients that had ended', count(*) from gone;
end
$feeds$;

with withdrawn as (
    update consents c set withdrawn_at = now.value::timestamptz
    from rights, jsonb_each_text(list -> 'withdrawn_consents') now
    where c.consent_id = now.key::uuid and c.withdrawn_at is null returning 1)
insert into differences select 'consents that had been withdrawn', count(*) from withdrawn;

-- Keys of bookings' pages. A link of a release before has no row until it ends, so one is made. A key
-- of a mail that was sent after the moment is not known here, and opens nothing.
do $keys$
begin
    if to_regclass('page_keys') is null then
        return;
    end if;
    insert into page_keys (key_id, key_hash, booking_id, purpose, made_for, seen_by_staff, made_at)
    select it.key::uuid, decode(it.value ->> 'hash', 'hex'), (it.value ->> 'booking')::uuid,
           it.value ->> 'purpose', 'ended before a restore ' || it.key, true,
           (it.value ->> 'made')::timestamptz
    from rights, jsonb_each(rights.list -> 'ended_page_keys') it
    on conflict do nothing;
    with ended as (
        update page_keys k
        set ended_at = (it.value ->> 'ended')::timestamptz, ended_why = it.value ->> 'why'
        from rights, jsonb_each(rights.list -> 'ended_page_keys') it
        where k.ended_at is null
          and (k.key_id = it.key::uuid or k.key_hash = decode(it.value ->> 'hash', 'hex'))
        returning 1)
    insert into differences select 'keys of bookings'' pages that had ended', count(*) from ended;
end
$keys$;
