-- Timers that may wait for others, and indexes of what is ready, so that a claim reads only what it takes,
-- whatever else is due or waits.
alter table timers add column is_bulk boolean not null default false;
comment on column timers.is_bulk is 'Whether it gives way to others of what it waits for.';
create index timers_untried on timers (kind, is_bulk, due_at) where attempts = 0;
create index timers_tried on timers (kind, lease_until_at) where attempts > 0;
