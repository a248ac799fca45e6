-- Clients' consents to online sessions, with the words that they were shown.

-- Each text once and for ever: the practice's words, no personal data.
create table consent_texts (
    -- The day of the text's last change and a hash of all its words.
    version text primary key,
    content text not null,
    first_given_at timestamptz not null
);
comment on table consent_texts is
    'What clients consented to. The practice''s words, no personal data.';

-- Who consented to which text, and when. Erased with the contact data; nothing else needs it.
create table consents (
    consent_id uuid primary key,
    customer_id uuid not null,
    -- The booking that it was given with.
    booking_id uuid not null,
    version text not null references consent_texts,
    full_name text not null,
    email text not null,
    signature text not null,
    given_at timestamptz not null,
    -- Null while it is in force.
    withdrawn_at timestamptz
);
comment on table consents is 'personal';
-- While one is in force, another one adds nothing.
create unique index consents_in_force on consents (customer_id, version)
    where withdrawn_at is null;
create index consents_by_customer on consents (customer_id, given_at);

-- What was agreed to does not change: a consent is only withdrawn, once, or erased.
create function keep_consents() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and to_jsonb(old) ->> 'withdrawn_at' is null
       and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' then
        return new;
    end if;
    raise exception 'what clients consented to does not change';
end
$$;
create trigger consents_do_not_change before update on consents
    for each row execute function keep_consents();
create trigger consent_texts_do_not_change before update or delete on consent_texts
    for each row execute function keep_consents();
