-- The page of a booking that an account made, by the key of a mail: its keys, and the codes with which a
-- session is moved or cancelled there.

-- The rows are few, and the words that they have are among the new ones.
alter table page_keys drop constraint page_keys_purpose_check;
alter table page_keys add constraint page_keys_purpose_check
    check (purpose in ('page', 'join', 'session'));

alter table consent_codes
    -- What the code is for: to sign a consent, or to move or cancel on the page.
    add column purpose text not null default 'consent' check (purpose in ('consent', 'page')),
    -- When an act used it up.
    add column used_at timestamptz;
