-- The release before this one skipped what it did not know of: that a booking was cancelled, or that
-- its session took place. So everything that booking ever told is taken in again, which every reaction
-- bears, and what was parked with it.
update checkpoints set position = 0, event_id = null, failures = 0
where consumer = 'payments-on-booking';
delete from parked_events where consumer = 'payments-on-booking';

-- While a deploy rolls, a process of that release still runs, and would skip it again. It is known by
-- what it leaves out: the event at the checkpoint's position. It has to wait, until it is replaced.
create function refuse_older_release() returns trigger language plpgsql as $$
begin
    if new.consumer = 'payments-on-booking' and new.position > old.position
        and (new.event_id is null or new.event_id = old.event_id)
    then
        raise exception 'a newer release takes in the events of booking'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return new;
end $$;
create trigger checkpoints_refuse_older_release before update on checkpoints
    for each row execute function refuse_older_release();
