-- The practice's hours by which a waiting reminder was put off, so that a start looks only at those that were
-- put off by other hours. Null for those of before.
alter table mails add column planned_by text;
create index mails_by_plan on mails (planned_by, mail_id)
    where state = 'queued' and kind in ('reminder', 'second_reminder');
