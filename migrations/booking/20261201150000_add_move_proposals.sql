-- The other time that the practice asks for, while it does: the number of the session, and until when a time
-- can be chosen.
alter table bookings add column move_proposal jsonb;
-- Why staff moved a session or asked for another time, in their words. No event has it, and no mail.
create table move_reasons (
    reason_id bigint generated always as identity primary key,
    booking_id uuid not null,
    -- Which of the booking's sessions, from 1.
    session_number integer not null,
    -- The member.
    user_id uuid not null,
    reason text not null,
    said_at timestamptz not null
);
create index move_reasons_by_booking on move_reasons (booking_id, said_at);
comment on table move_reasons is 'personal';
