-- Sessions confirmed before there were reminders get theirs, and receipts issued before there was a
-- mail for them: everything that booking and payments ever told is taken in again, which every
-- reaction bears. A mail that was queued once is not queued again, and of the others those are
-- dropped whose time is over.
update checkpoints set position = 0, event_id = null, failures = 0
where consumer in ('notifications-on-booking', 'notifications-on-payments');
delete from parked_events
where consumer in ('notifications-on-booking', 'notifications-on-payments');

-- While a deploy rolls, a process of the release before still runs, and would take an event in
-- without queueing these mails. A newer one says in each transaction that it knows of them; whoever
-- moves one of these checkpoints on and has not said so has to wait, until it is replaced. What is
-- parked was taken in by nobody.
create function refuse_release_without_later_mails() returns trigger language plpgsql as $$
begin
    if coalesce(current_setting('notifications.knows', true), '') <> 'later mails' and not exists (
        select from parked_events
        where consumer = new.consumer and source = new.source
          and position = new.position and event_id = new.event_id)
    then
        raise exception 'a newer release takes in the events of %', new.source
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end $$;
create constraint trigger checkpoints_refuse_release_without_later_mails
    after update on checkpoints deferrable initially deferred for each row
    when (new.consumer in ('notifications-on-booking', 'notifications-on-payments')
          and new.position > old.position)
    execute function refuse_release_without_later_mails();
