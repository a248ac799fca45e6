-- Bookings that staff make by phone, for a contact without an account.

alter table bookings
    -- Whether staff made it by phone.
    add column by_phone boolean not null default false,
    -- Whether the account that proved the contact's address owns it since.
    add column adopted boolean not null default false,
    add check (by_phone or not adopted);

-- Of a booking by phone the terms are accepted later, on its page.
alter table booking_contacts alter column terms_accepted_at drop not null;

-- Bookings by phone that no account owns yet: a row is deleted when its booking is adopted.
create table phone_bookings (
    booking_id uuid primary key,
    -- In lower case, as the access token of the account will have it.
    email text not null check (email = lower(email)),
    made_at timestamptz not null
);
create index phone_bookings_by_email on phone_bookings (email, made_at);
comment on table phone_bookings is 'personal';

-- A consent that was given on the page of such a booking goes over to the account with it: besides a
-- withdrawal, only the account of a consent may change.
create or replace function keep_consents() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and to_jsonb(old) ->> 'withdrawn_at' is null
       and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' then
        return new;
    end if;
    if tg_op = 'UPDATE' and tg_table_name = 'consents'
       and to_jsonb(new) - 'customer_id' = to_jsonb(old) - 'customer_id' then
        return new;
    end if;
    raise exception 'what clients consented to does not change';
end
$$;
