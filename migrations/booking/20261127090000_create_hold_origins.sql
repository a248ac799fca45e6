-- Where holds came from, so that times which are held and not paid can be limited per network and
-- device. Only keyed hashes are kept, and only for two days.
create table hold_origins (
    booking_id uuid primary key,
    network_hash bytea,
    device_hash bytea,
    held_at timestamptz not null
);
create index hold_origins_by_network on hold_origins (network_hash, held_at);
create index hold_origins_by_device on hold_origins (device_hash, held_at);
create index hold_origins_by_time on hold_origins (held_at);
comment on table hold_origins is 'personal: keyed hashes of networks and devices, for two days';
