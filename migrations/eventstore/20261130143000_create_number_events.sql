-- Gives positions to events that were committed since the last pass, and returns them with the event
-- before each in the feed. One call is one round trip and one commit. It returns one row without a
-- position while another relay does this. Each statement of the function sees what was committed
-- before it began: what is read after the lock was taken has all that the previous relay numbered.
create function number_events(at_most bigint)
returns table (feed_position bigint, previous uuid, event_id uuid, stream_id text, version bigint,
               event_type text, payload jsonb, metadata jsonb, recorded_at timestamptz)
language plpgsql volatile as $$
declare
    last bigint;
    last_event uuid;
begin
    if not exists (select from outbox) then
        return;
    end if;
    -- The constant is eventstore's RELAY_LOCK.
    if not pg_try_advisory_xact_lock(x'53554b4f4f4e0001'::bigint) then
        return query select null::bigint, null::uuid, null::uuid, null::text, null::bigint,
                            null::text, null::jsonb, null::jsonb, null::timestamptz;
        return;
    end if;
    select f.position, e.event_id into last, last_event
    from feed f join events e using (seq) order by f.position desc limit 1;
    return query
    with moved as (
        delete from outbox o
        where o.seq in (select w.seq from outbox w order by w.seq limit at_most)
        returning o.seq),
    numbered as (
        insert into feed (position, seq)
        select coalesce(last, 0) + row_number() over (order by m.seq), m.seq from moved m
        returning feed.position, feed.seq)
    select n.position, lag(e.event_id, 1, last_event) over (order by n.position), e.event_id,
           e.stream_id, e.version, e.event_type, e.payload, e.metadata, e.recorded_at
    from numbered n join events e using (seq)
    order by n.position;
end $$;
