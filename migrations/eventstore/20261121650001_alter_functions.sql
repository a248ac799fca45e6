-- In plpgsql the plan of the query within is kept by each connection. A function in plain SQL that
-- reads a table is parsed and planned again by every statement that calls it.
create or replace function clock_now() returns timestamptz language plpgsql volatile as $$
begin
    return clock_timestamp() + (select offset_by from clock);
end $$;

-- Waits for locks by their names until the transaction ends. They are taken in one order, whoever asks,
-- so that two that want the same ones wait for each other instead of failing.
create function take_locks(names text[]) returns boolean language plpgsql volatile as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(name, 0))
    from (select distinct name collate "C" as name from unnest(names) as n (name)
          order by 1 offset 0) as sorted;
    return true;
end $$;
