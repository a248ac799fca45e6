-- Takes away what had ended.
with added as (
    insert into unsubscribed_addresses (address_hash, unsubscribed_at)
    select decode(now.key, 'hex'), now.value::timestamptz
    from rights, jsonb_each_text(list -> 'unsubscribed') now
    on conflict (address_hash) do nothing returning 1)
insert into differences select 'addresses that had unsubscribed', count(*) from added;
