-- A consent names the way by which it was given, and what proves that.

alter table consents
    -- "unknown" is also what a program of before writes.
    add column channel text not null default 'unknown'
        check (channel in ('account', 'page', 'unknown')),
    -- The session of the client's account.
    add column session_id uuid,
    -- Names the key of the page of a booking by phone; it is not the key.
    add column page_key text,
    add column network text,
    add column user_agent text,
    -- The address to which the code was mailed that was typed, and when that was.
    add column code_mailed_to text,
    add column code_confirmed_at timestamptz;

-- What was given with a request came by the session of the client's account. What was given on the page
-- of a booking by phone came by a key that staff had seen as well: its way is not known.
alter table consents disable trigger consents_do_not_change;
update consents c set channel = 'account'
where not exists (select from bookings b where b.booking_id = c.booking_id and b.by_phone);
alter table consents enable trigger consents_do_not_change;

-- Codes with which consents on such pages are signed. The code is in no row: it is derived from the row,
-- the address and a key.
create table consent_codes (
    booking_id uuid not null,
    -- The number of ConsentCodeRequested.
    number bigint not null,
    requested_at timestamptz not null,
    -- How often a code was typed.
    tries integer not null default 0,
    confirmed_at timestamptz,
    primary key (booking_id, number)
);
comment on table consent_codes is
    'Which codes were mailed, and how often one was typed. No personal data.';
create index consent_codes_by_age on consent_codes (requested_at);
