-- In plpgsql the plan of the query within is kept by each connection. A function in plain SQL that
-- reads a table is parsed and planned again by every statement that calls it.
create or replace function clock_now() returns timestamptz language plpgsql volatile as $$
begin
    return clock_timestamp() + (select offset_by from clock);
end $$;
