-- Bookings that were confirmed before there were receipts get theirs: everything that booking ever told
-- is taken in again, which every reaction bears, so receipts are numbered in the order of confirmation.
update checkpoints set position = 0, event_id = null, failures = 0
where consumer = 'payments-on-booking';
delete from parked_events where consumer = 'payments-on-booking';

-- While a deploy rolls, a process of the release before still runs, and would take an event in without
-- issuing its receipt. A newer one says in each transaction that it knows of receipts; whoever moves the
-- checkpoint on and has not said so has to wait, until it is replaced. What is parked was taken in by
-- nobody.
create function refuse_release_without_receipts() returns trigger language plpgsql as $$
begin
    if coalesce(current_setting('payments.knows', true), '') <> 'receipts' and not exists (
        select from parked_events
        where consumer = new.consumer and source = new.source
          and position = new.position and event_id = new.event_id)
    then
        raise exception 'a newer release takes in the events of booking'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end $$;
create constraint trigger checkpoints_refuse_release_without_receipts after update on checkpoints
    deferrable initially deferred for each row
    when (new.consumer = 'payments-on-booking' and new.position > old.position)
    execute function refuse_release_without_receipts();
