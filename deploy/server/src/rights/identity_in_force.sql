select '  ' || count(*) filter (where password_hash is not null) || ' accounts with a password, '
       || (select count(*) from factors where status = 'verified') || ' second factors, '
       || (select count(*) from passkeys) || ' passkeys, '
       || (select count(distinct user_id) from recovery_codes) || ' accounts with recovery codes, '
       || (select count(*) from identities where provider not in ('email', 'phone'))
       || ' identities of other providers'
from users;
