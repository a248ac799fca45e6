-- The package that a booking's sessions belong to, as it was booked; null for a single session.
alter table bookings
    add column package_id text,
    add column package_title text,
    -- Until how many hours before its start each session can be cancelled with a refund.
    add column package_notice_hours integer,
    add check (num_nulls(package_id, package_title, package_notice_hours) in (0, 3));
