-- What opens accounts now, in ids and hashes.
select jsonb_build_object(
    'accounts', (select coalesce(jsonb_object_agg(user_id, jsonb_build_object(
                     'password', encode(sha256(convert_to(password_hash, 'UTF8')), 'hex'),
                     'address', encode(sha256(convert_to(email, 'UTF8')), 'hex'),
                     'banned', banned_until_at)), '{}') from users),
    'factors', (select coalesce(jsonb_agg(factor_id), '[]') from factors),
    'passkeys', (select coalesce(jsonb_agg(passkey_id), '[]') from passkeys),
    'recovery_codes', (select coalesce(jsonb_agg(encode(code_hash, 'hex')), '[]')
                       from recovery_codes),
    'identities', (select coalesce(jsonb_agg(identity_id), '[]') from identities),
    'service_keys', (select coalesce(jsonb_agg(key_id), '[]') from service_keys
                     where revoked_at is null))
