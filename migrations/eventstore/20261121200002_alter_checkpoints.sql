-- The event at the checkpoint's position. When the source has another one there, its database was
-- restored from an older copy and gives positions a second time.
alter table checkpoints add column event_id uuid;
