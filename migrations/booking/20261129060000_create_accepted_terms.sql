-- What a client was shown when the terms were accepted, with the practice's words of each version.

-- Each text once and for ever, by the hash of its words: also after the practice's files change.
create table shown_texts (
    -- SHA-256 of the words.
    hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
    name text not null check (name in ('terms', 'refunds', 'privacy')),
    -- The day of its last change.
    version text not null,
    words text not null,
    kept_at timestamptz not null
);
comment on table shown_texts is
    'The practice''s terms, refund policy and privacy policy. Its words, no personal data.';
create trigger shown_texts_do_not_change before update or delete on shown_texts
    for each row execute function keep_consents();

-- One row for each time that the terms of a booking were accepted. No personal data.
create table accepted_terms (
    booking_id uuid not null,
    accepted_at timestamptz not null,
    -- Until how many hours before its start a session could be cancelled with a refund, by the rule of
    -- that moment, and as the page said it.
    notice_hours integer not null,
    shown_notice_hours integer,
    -- As the page said it; null where it did not. A hash need not be one of shown_texts.
    terms_version text,
    terms_hash text,
    refunds_version text,
    refunds_hash text,
    privacy_version text,
    privacy_hash text,
    primary key (booking_id, accepted_at)
);
comment on table accepted_terms is
    'Which versions of the practice''s texts a client was shown. No personal data.';
create trigger accepted_terms_do_not_change before update on accepted_terms
    for each row execute function keep_consents();
