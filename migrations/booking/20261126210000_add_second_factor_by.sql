-- From when on staff calls of a member need a session with a second factor. A member who is there at
-- the upgrade has 14 days from it, a later one 14 days from the first grant: an older process that
-- adds a member leaves the default. It is never put off, also not by a second grant or another
-- role, and moves to the present when the account first uses a second factor. By the machine's
-- clock, as access tokens are.
alter table staff_members
    add column second_factor_by timestamptz not null
        default clock_timestamp() + interval '14 days';
