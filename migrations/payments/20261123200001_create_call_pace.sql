-- The common pace of questions that may wait, so that all processes together ask a third party at most
-- so often.
create table call_pace (
    name text primary key,
    -- The next moment that no question has taken yet.
    next_at timestamptz not null,
    -- How far apart two questions are.
    pause_millis int not null check (pause_millis > 0)
);
comment on table call_pace is 'How often third parties are asked what may wait. No personal data.';

-- Bookings that were sold before this release and are not over are asked for from now on, spread over a
-- day; each of them counts as sold now.
insert into timers (kind, subject, due_at, payload)
select 'ask-sold-order', 'bkg_' || replace(booking_id::text, '-', ''),
       clock_now() + random() * interval '1 day',
       jsonb_build_object('sold_at', (extract(epoch from clock_now()) * 1000000)::bigint, 'step', 2)
from collections join known_bookings using (booking_id)
where verified_payment_id is not null and known_bookings.state = 'confirmed'
on conflict (kind, subject) do nothing;
