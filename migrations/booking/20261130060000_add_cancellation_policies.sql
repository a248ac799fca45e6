-- What goes back of a cancelled session stands in its booking, so that a change of the practice's file
-- changes no booking that was made before it.
alter table bookings add column cancellation_policy jsonb;
comment on column bookings.cancellation_policy is
    'What goes back of its sessions; null in bookings of before this column. No personal data.';

-- One row: the policy of bookings that carry none, which is the practice's at the first start after
-- this migration.
create table earlier_cancellation_policy (
    only_row boolean primary key default true check (only_row),
    policy jsonb not null,
    kept_at timestamptz not null
);
comment on table earlier_cancellation_policy is
    'The policy of bookings of before policies were kept in them. No personal data.';
create trigger earlier_cancellation_policy_does_not_change
    before update or delete on earlier_cancellation_policy
    for each row execute function keep_consents();
