-- What an upgrade does once to the rows that are there, each with the time at which it was done.
create table upgrade_tasks (
    name text primary key,
    done_at timestamptz not null
);

alter table account_notices drop constraint account_notices_kind_check;
alter table account_notices add constraint account_notices_kind_check check (kind in (
    'new_device', 'password_changed', 'email_changed', 'email_added', 'phone_changed',
    'factor_added', 'factor_removed', 'passkey_added', 'passkey_removed', 'passkey_counter',
    'recovery_code_used', 'recovery_codes_made', 'factors_reset', 'ways_closed'));
