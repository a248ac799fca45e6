-- When codes were asked for within the last day, oldest first, of the kinds that are mails: at most
-- so many go to one address in an hour and in a day. Microseconds since 1970.
alter table address_limits add column mailed_at_micros bigint[] not null default '{}';
