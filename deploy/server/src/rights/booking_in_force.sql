select '  member ' || user_id || ': ' || role || ', since ' || since_at::date
from staff_members where active order by user_id;
select '  ' || count(*) || ' consents are in force' from consents where withdrawn_at is null;
select '  calendar address of ' || practitioner_id || ', renewed ' || renewed_at::date
from calendar_feeds order by practitioner_id;
create temp table page_keys_in_force (count bigint);
do $keys$
begin
    if to_regclass('page_keys') is not null then
        insert into page_keys_in_force select count(*) from page_keys where ended_at is null;
    end if;
end
$keys$;
select '  ' || count || ' keys of bookings'' pages are in force' from page_keys_in_force;
