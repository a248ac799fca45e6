-- What of a refund the payer's bank has given by a dispute, and whether it waits for the end of one.
-- What stands in old rows is computed from their events at the first start.

alter table refunds add column given_minor bigint not null default 0;
alter table refunds add column held boolean not null default false;
-- Whether the rows of a dispute's booking were written with these columns.
alter table disputes add column counted boolean not null default false;
