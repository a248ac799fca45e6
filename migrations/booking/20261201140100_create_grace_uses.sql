-- When clients used the grace of their bookings' policies. The events say it; one that has not taken effect
-- stands in bookings.pending_cancellation.
create table grace_uses (
    booking_id uuid not null,
    -- The number of the session, from 1.
    session_number integer not null,
    used_at timestamptz not null,
    primary key (booking_id, session_number)
);
comment on table grace_uses is 'Which sessions were cancelled with grace. No personal data.';
