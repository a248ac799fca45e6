-- Staff reads mails page by page, newest first: all of them, those in one state, those of a booking.

create index mails_by_age on mails (queued_at desc, mail_id desc);
create index mails_by_state on mails (state, queued_at desc, mail_id desc);
create index mails_by_booking_and_age on mails (booking_id, queued_at desc, mail_id desc);
-- The two that those take the place of.
drop index mails_by_booking;
drop index mails_failed;
