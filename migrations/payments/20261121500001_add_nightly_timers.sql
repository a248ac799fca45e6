-- The jobs of the night and the daily sweep are there from the beginning: their handlers set them anew
-- each time. The night is India's: 2:00, 2:30 and 3:30 there.
insert into timers (kind, subject, due_at)
select kind, 'all', due + case when due > clock_now() then interval '0' else interval '1 day' end
from (
    select kind, date_trunc('day', clock_now(), 'UTC') + at as due
    from (values
        ('list-payments', interval '20 hours 30 minutes'),
        ('settle-day', interval '21 hours'),
        ('tell-unexplained', interval '22 hours')) as jobs (kind, at)) as tonight
on conflict do nothing;

insert into timers (kind, subject, due_at)
values ('sweep-webhooks', 'all', clock_now() + interval '1 day')
on conflict do nothing;
