-- The daily sweep of what nobody needs any more. Its handler sets it anew each time.
insert into timers (kind, subject, due_at)
values ('sweep', 'idempotency-keys', clock_now() + interval '1 day')
on conflict do nothing;
