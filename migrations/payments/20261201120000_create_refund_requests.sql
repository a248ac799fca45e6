-- Refunds that clients ask for, until 48 hours after a session: one for each booking.

create table refund_requests (
    -- Derived from the booking.
    request_id uuid primary key,
    -- What mails and people call it: "R-17". A number may be left out.
    number bigint generated always as identity unique,
    booking_id uuid not null unique references collections (booking_id),
    -- The account that asked.
    customer_id uuid not null,
    -- In the client's words; null where none was given, and once it is deleted.
    reason text check (length(reason) between 1 and 1000),
    requested_at timestamptz not null,
    answer_by_at timestamptz not null,
    close_by_at timestamptz not null,
    state text not null default 'open' check (state in ('open', 'granted', 'declined')),
    -- What goes back, of a granted one.
    amount_minor bigint check (amount_minor > 0),
    amount_currency text,
    -- What the practice wrote to the client; null while it is open, and once it is deleted.
    answer text check (length(answer) between 3 and 1000),
    answered_by uuid,
    answered_at timestamptz,
    check ((state = 'granted') = (amount_minor is not null)),
    check ((amount_minor is null) = (amount_currency is null)),
    check ((state = 'open') = (answered_at is null)),
    check ((answered_at is null) = (answered_by is null)),
    check (answer is null or state <> 'open')
);
-- Staff read those that wait for an answer first, by the time until which they are to be answered.
create index refund_requests_by_deadline on refund_requests ((state <> 'open'), answer_by_at);
-- Whose words are to be deleted.
create index refund_requests_with_words on refund_requests (coalesce(answered_at, close_by_at))
    where reason is not null or answer is not null;
comment on table refund_requests is
    'Personal data: why a client wants money back, and what the practice answered; 90 days.';
