-- What visitors write, and what answers questions about it at once.

create table reviews (
    review_id uuid primary key,
    -- What is personal is empty once it was erased.
    name text not null,
    email text not null,
    service text not null,
    rating smallint not null check (rating between 1 and 5),
    text text not null,
    image_id uuid,
    verified boolean not null default false,
    created_at timestamptz not null,
    deleted_at timestamptz,
    -- "usr_…", or "passphrase" where the practice shares one.
    deleted_by text,
    erased_at timestamptz,
    check ((deleted_at is null) = (deleted_by is null)),
    check (erased_at is null
           or (deleted_at is not null and name = '' and email = '' and text = ''
               and image_id is null))
);
comment on table reviews is 'personal';
-- Pages are read from where the one before ended, so each costs what it shows.
create index reviews_newest on reviews (created_at desc, review_id desc)
    where deleted_at is null;
create index reviews_newest_verified on reviews (created_at desc, review_id desc)
    where deleted_at is null and verified;

-- How many reviews can be read, by stars. They are counted with each event, so nobody ever counts
-- all reviews to show a figure.
create table review_figures (
    rating smallint primary key check (rating between 1 and 5),
    count bigint not null default 0 check (count >= 0),
    verified_count bigint not null default 0 check (verified_count between 0 and count)
);
insert into review_figures (rating) select generate_series(1, 5);
comment on table review_figures is 'Counters, no personal data.';

-- Whose session was completed, as booking's feed tells it. Each one proves one review.
create table sessions (
    booking_id uuid primary key,
    customer_id uuid not null,
    completed_at timestamptz,
    -- The review that it has proved.
    review_id uuid unique,
    check (review_id is null or completed_at is not null)
);
comment on table sessions is 'Ids only, no personal data.';
create index sessions_that_can_prove on sessions (customer_id, completed_at)
    where completed_at is not null and review_id is null;

-- The daily sweep of what nobody needs any more. Its handler sets it anew each time.
insert into timers (kind, subject, due_at)
values ('sweep', 'idempotency-keys', clock_now() + interval '1 day')
on conflict do nothing;
