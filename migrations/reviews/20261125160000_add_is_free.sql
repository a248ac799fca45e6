-- A consultation that costs nothing proves no review: every address can have one.
alter table sessions add column is_free boolean not null default false;
