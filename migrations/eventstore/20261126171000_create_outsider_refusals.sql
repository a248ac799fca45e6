-- Refusals of callers that are no members of the practice: one row for each of them and hour, so that
-- calls that every account can make do not fill the audit log, which keeps its rows for ever.
create table outsider_refusals (
    -- The beginning of the hour.
    hour_at timestamptz not null,
    -- The account's id, "usr_…".
    actor text not null,
    refusals bigint not null default 1,
    first_action text not null,
    last_action text not null,
    last_at timestamptz not null,
    primary key (hour_at, actor)
);
comment on table outsider_refusals is 'Ids only, no personal data.';
