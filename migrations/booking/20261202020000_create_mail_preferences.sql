-- What clients chose about the mails of their bookings. A client without a row has the practice's own hours.
create table mail_preferences (
    customer_id uuid primary key,
    reminder_hours integer[] not null check (cardinality(reminder_hours) <= 2),
    thanks boolean not null,
    chosen_at timestamptz not null
);
comment on table mail_preferences is 'Ids only, no personal data.';
comment on column mail_preferences.reminder_hours is
    'How many hours before a session reminders are mailed, the most first; empty for none.';
comment on column mail_preferences.thanks is 'Whether thanks are mailed after a session.';
