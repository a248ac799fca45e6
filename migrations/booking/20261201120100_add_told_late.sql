-- What a client said about coming late to one session.
alter table booking_contacts add column late_session integer;
alter table booking_contacts add column late_minutes integer;
alter table booking_contacts add column late_told_at timestamptz;
