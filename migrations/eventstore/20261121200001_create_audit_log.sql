-- Every act of the practice's staff, and every one that was refused. Rows are never changed.
create table audit_log (
    audit_id bigint generated always as identity primary key,
    acted_at timestamptz not null,
    -- The person's id, "usr_…".
    actor text not null,
    -- The role at that time; empty when the actor is no member of the practice.
    role text not null,
    -- The method, for example "CancelBooking".
    action text not null,
    -- What it was done to, an id; empty when it concerns no single thing.
    subject text not null,
    -- "done", or the reason of the refusal.
    outcome text not null
);
create index audit_log_by_subject on audit_log (subject);
create trigger audit_log_is_immutable before update or delete on audit_log
    for each row execute function refuse_change();
create trigger audit_log_is_not_truncated before truncate on audit_log
    for each statement execute function refuse_change();
comment on table audit_log is 'Who did what for the practice. Ids only, no personal data.';
