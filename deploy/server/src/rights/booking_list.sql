-- What members and clients may do now, in ids. Of the keys of bookings' pages those that have ended:
-- one that ended after the moment would open its page again. A database of a release before has none.
create temp table page_keys_ended (ended jsonb not null);
do $keys$
begin
    if to_regclass('page_keys') is not null then
        insert into page_keys_ended
        select jsonb_object_agg(key_id, jsonb_build_object(
                   'hash', encode(key_hash, 'hex'), 'booking', booking_id, 'purpose', purpose,
                   'made', made_at, 'ended', ended_at, 'why', ended_why))
        from page_keys where ended_at is not null
        having count(*) > 0;
    end if;
end
$keys$;
-- So it is with the addresses of clients' own sessions.
create temp table own_feeds (feeds jsonb not null);
do $feeds$
begin
    if to_regclass('own_calendars') is not null then
        insert into own_feeds select coalesce(jsonb_object_agg(customer_id, feed_id), '{}')
        from own_calendars;
    end if;
end
$feeds$;
select jsonb_build_object(
    'members', (select coalesce(jsonb_object_agg(user_id, role), '{}') from staff_members
                where active),
    'invitations', (select coalesce(jsonb_agg(invitation_id), '[]') from staff_invitations
                    where state = 'pending'),
    'feeds', (select coalesce(jsonb_object_agg(practitioner_id, feed_id), '{}')
              from calendar_feeds),
    'own_feeds', coalesce((select feeds from own_feeds), '{}'),
    'withdrawn_consents', (select coalesce(jsonb_object_agg(consent_id, withdrawn_at), '{}')
                           from consents where withdrawn_at is not null),
    'ended_page_keys', coalesce((select ended from page_keys_ended), '{}'))
