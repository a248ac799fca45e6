-- Takes away what had ended. An account that was deleted goes again; one whose password was changed
-- has none, and its person sets a new one after a mailed code.
with gone as (delete from users where not (select list -> 'accounts' from rights) ? user_id::text
              returning 1)
insert into differences select 'deleted accounts', count(*) from gone;

with changed as (
    update users u set password_hash = null
    from (select key, value ->> 'password' as password
          from rights, jsonb_each(list -> 'accounts')) now
    where u.user_id = now.key::uuid and u.password_hash is not null
      and now.password is distinct from encode(sha256(convert_to(u.password_hash, 'UTF8')), 'hex')
    returning 1)
insert into differences select 'passwords that were changed or removed', count(*) from changed;

with banned as (
    update users u set banned_until_at = now.banned
    from (select key, (value ->> 'banned')::timestamptz as banned
          from rights, jsonb_each(list -> 'accounts')) now
    where u.user_id = now.key::uuid and now.banned > coalesce(u.banned_until_at, '-infinity')
    returning 1)
insert into differences select 'bans', count(*) from banned;

with gone as (delete from factors
              where not (select list -> 'factors' from rights) ? factor_id::text returning 1)
insert into differences select 'second factors that were removed', count(*) from gone;

with gone as (delete from passkeys
              where not (select list -> 'passkeys' from rights) ? passkey_id::text returning 1)
insert into differences select 'passkeys that were removed', count(*) from gone;

with gone as (
    delete from recovery_codes
    where not (select list -> 'recovery_codes' from rights) ? encode(code_hash, 'hex')
    returning 1)
insert into differences select 'recovery codes that were used or renewed', count(*) from gone;

-- The identity of an address is the account's own; it goes with the account.
with gone as (delete from identities
              where provider <> 'email'
                and not (select list -> 'identities' from rights) ? identity_id::text returning 1)
insert into differences select 'identities that were removed', count(*) from gone;

with gone as (
    update service_keys set revoked_at = clock_now()
    where revoked_at is null
      and not (select list -> 'service_keys' from rights) ? key_id::text returning 1)
insert into differences select 'service keys that were revoked', count(*) from gone;

insert into differences
select 'accounts that have their former address again, which a person has to look at', count(*)
from users u, rights, jsonb_each(list -> 'accounts') now
where u.user_id = now.key::uuid
  and now.value ->> 'address' is distinct from encode(sha256(convert_to(u.email, 'UTF8')), 'hex');
