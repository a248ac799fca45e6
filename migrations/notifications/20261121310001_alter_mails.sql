-- Until when a mail that is being handed over is left to who claimed it. As with the lease of a timer
-- this is time of the machine, not of the practice: a clock that is moved makes no conversation older.
alter table mails add column claimed_until_at timestamptz not null default '-infinity';
