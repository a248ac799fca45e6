-- Addresses that want no more mails, as keyed hashes.
select jsonb_build_object(
    'unsubscribed', (select coalesce(jsonb_object_agg(encode(address_hash, 'hex'),
                                                      unsubscribed_at), '{}')
                     from unsubscribed_addresses))
