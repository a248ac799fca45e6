-- Unpaid holds are looked up by when they ended. By when they began, each request read all live holds
-- of its network, too.
alter table hold_origins add column held_until_at timestamptz;
-- Rows of the release before: a hold lasts a quarter of an hour.
update hold_origins set held_until_at = held_at + interval '15 minutes';
create index hold_origins_by_network_end on hold_origins (network_hash, held_until_at);
create index hold_origins_by_device_end on hold_origins (device_hash, held_until_at);
drop index hold_origins_by_network;
drop index hold_origins_by_device;
