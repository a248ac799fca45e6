-- While a deploy rolls, the release before this one moves the position and knows nothing of the event.
-- What it leaves behind would look like a source that was restored; so the event is forgotten then.
create function forget_event_left_behind() returns trigger language plpgsql as $$
begin
    if new.position <> old.position and new.event_id = old.event_id then
        new.event_id := null;
    end if;
    return new;
end $$;
create trigger checkpoints_forget_event_left_behind before update on checkpoints
    for each row execute function forget_event_left_behind();
