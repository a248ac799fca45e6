-- Sessions that cost nothing, and to which proved address each was given: the practice gives a
-- consultation to an address once, or again after some time.
create table free_sessions (
    booking_id uuid primary key,
    -- In lower case, as the access token has it.
    email text not null check (email = lower(email)),
    booked_at timestamptz not null
);
create index free_sessions_by_email on free_sessions (email);
comment on table free_sessions is 'personal';
