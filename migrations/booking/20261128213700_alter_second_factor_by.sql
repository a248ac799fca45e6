-- A new member needs a second factor from the first staff call on. Members who are there keep the
-- time that they were given: only the column's default changes.
alter table staff_members
    alter column second_factor_by set default clock_timestamp();
