-- In how many accounts a task has found something; null where it was not counted.
alter table upgrade_tasks add column accounts int;
