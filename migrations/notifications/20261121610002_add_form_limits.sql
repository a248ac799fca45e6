-- What the forms' limits, repeats and unsubscribing need. A hash of an address is made with a key that
-- no database holds, so it leads to nobody by itself.

alter table contact_messages
    add column address_hash bytea not null check (octet_length(address_hash) = 16),
    -- Chosen by the caller; the same key is the same message. It goes with the row.
    add column idempotency_key text not null unique;
create index contact_messages_by_address on contact_messages (address_hash, received_at);

alter table guide_requests
    add column address_hash bytea not null check (octet_length(address_hash) = 16),
    add column idempotency_key text not null unique;
create index guide_requests_by_address on guide_requests (address_hash, received_at);

-- Who wants no more mails that are not about a booking. Rows stay for ever, and name nobody.
create table unsubscribed_addresses (
    address_hash bytea primary key check (octet_length(address_hash) = 16),
    unsubscribed_at timestamptz not null
);
comment on table unsubscribed_addresses is 'Keyed hashes of addresses, no personal data.';
