-- Which events each consumer's newest program takes in, as a number that grows with them; and from
-- where on an older program has moved the checkpoint since. It passed over what it does not know, so
-- the newer program reads those events again. The older one is not stopped: going back is possible.
create table consumer_releases (
    consumer text primary key,
    source text not null,
    release integer not null,
    -- The checkpoint's position before the first event that an older program took in.
    again_from bigint
);

create function note_older_release() returns trigger language plpgsql as $$
begin
    update consumer_releases
    set again_from = least(coalesce(again_from, old.position), old.position)
    where consumer = new.consumer and source = new.source
      and release > coalesce(nullif(current_setting('sukoon.release', true), ''), '0')::integer
      -- What is parked was not taken in.
      and not exists (
          select from parked_events
          where consumer = new.consumer and source = new.source
            and position = new.position and event_id = new.event_id);
    return null;
end $$;
create constraint trigger checkpoints_note_older_release after update on checkpoints
    deferrable initially deferred for each row when (new.position > old.position)
    execute function note_older_release();

-- The same of a parked event that an older program says to have handled.
create function note_older_retry() returns trigger language plpgsql as $$
begin
    update consumer_releases
    set again_from = least(coalesce(again_from, old.position - 1), old.position - 1)
    where consumer = old.consumer and source = old.source
      and release > coalesce(nullif(current_setting('sukoon.release', true), ''), '0')::integer;
    return null;
end $$;
create trigger parked_events_note_older_release after delete on parked_events
    for each row execute function note_older_retry();
