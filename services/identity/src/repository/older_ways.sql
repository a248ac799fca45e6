-- Accounts with ways in that are older than the proof of their address, and where nothing shows
-- that they are of the person who proved it. `identity older-ways` and the checker ask this.
with by_mail as (
    select s.session_id, s.user_id, s.created_at, s.network, s.user_agent, s.factor_id
    from sessions s join users u using (user_id)
    where s.created_at >= u.email_proved_at
      and exists (select from jsonb_array_elements(s.proofs) proof
                  where proof ->> 'method' in ('otp', 'recovery', 'email/signup',
                                               'magiclink', 'invite', 'email_change'))
), counted as (
    select u.user_id, u.email_proved_at as proved_at,
           u.password_hash is not null
               and coalesce(u.email_change_sent_at < u.email_proved_at, false)
               as password,
           (select count(*) from sessions s
            where s.user_id = u.user_id
              and not exists (select from by_mail m where m.session_id = s.session_id))
               as sessions,
           (select count(*) from factors f
            where f.user_id = u.user_id and f.status = 'verified'
              and f.created_at < u.email_proved_at)
           + (select count(*) from passkeys p
              where p.user_id = u.user_id and p.created_at < u.email_proved_at)
               as authenticators,
           (select count(*) from recovery_codes r
            where r.user_id = u.user_id and r.created_at < u.email_proved_at)
               as recovery_codes,
           (select count(*) from identities i
            where i.user_id = u.user_id and i.provider not in ('email', 'phone')
              and i.created_at < u.email_proved_at) as identities,
           coalesce(u.phone_confirmed_at < u.email_proved_at, false) as phone
    from users u
    where u.email_proved_at is not null
      and not exists (
          select from by_mail m join sessions s using (user_id)
          where m.user_id = u.user_id and s.created_at < u.email_proved_at
            and s.network = m.network and s.user_agent = m.user_agent)
      and not exists (
          select from by_mail m
          where m.user_id = u.user_id
            and (m.factor_id in (select factor_id from factors f
                                 where f.created_at < u.email_proved_at)
                 or m.factor_id in (select passkey_id from passkeys p
                                    where p.created_at < u.email_proved_at)))
)
select * from counted
where password or authenticators > 0 or recovery_codes > 0 or identities > 0 or phone
   or exists (select from sessions s
              where s.user_id = counted.user_id and s.created_at < counted.proved_at)
order by user_id
