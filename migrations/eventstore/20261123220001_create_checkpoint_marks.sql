-- Events that a consumer has handled, far apart, so that after a restore of its source the last one that both
-- still have is found, and only what came behind it is taken in again.
create table checkpoint_marks (
    consumer text not null,
    source text not null,
    position bigint not null,
    event_id uuid not null,
    primary key (consumer, source, position)
);
comment on table checkpoint_marks is 'Events that consumers have handled. Ids only.';

-- One for each thousand positions; behind the last hundred of them one for each hundred thousand. A
-- checkpoint that is put back takes those behind it away.
create function mark_checkpoint() returns trigger language plpgsql as $$
begin
    if new.position < old.position then
        delete from checkpoint_marks
        where consumer = new.consumer and source = new.source and position > new.position;
    elsif new.event_id is not null then
        insert into checkpoint_marks (consumer, source, position, event_id)
        values (new.consumer, new.source, new.position, new.event_id)
        on conflict do nothing;
        delete from checkpoint_marks m
        where m.consumer = new.consumer and m.source = new.source
          and m.position < new.position - 100000
          and exists (select from checkpoint_marks o
                      where o.consumer = m.consumer and o.source = m.source
                        and o.position < m.position and o.position >= m.position / 100000 * 100000);
    end if;
    return null;
end $$;
create trigger checkpoints_mark after update on checkpoints for each row
    when (new.position < old.position or new.position / 1000 > old.position / 1000)
    execute function mark_checkpoint();
