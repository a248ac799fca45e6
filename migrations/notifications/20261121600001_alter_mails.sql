-- More mails: about receipts, sessions, forms, reviews and days. What the last four are about follows
-- from kind and subject, so a mail may be about neither a booking nor a code. A person can settle a mail
-- that failed.

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in (
    'booking_confirmed', 'practice_notice', 'meeting_link', 'hold_ended',
    'refund_started', 'refund_done', 'confirm_address', 'recover_password',
    'booking_cancelled', 'cancellation_notice', 'receipt', 'reminder',
    'second_reminder', 'follow_up', 'contact_message', 'contact_acknowledgement',
    'meditation_guide', 'review_notice', 'day_sheet'));
alter table mails drop constraint mails_check;
alter table mails add constraint mails_about_check check (num_nonnulls(booking_id, code_id) <= 1);
alter table mails drop constraint mails_state_check;
alter table mails add constraint mails_state_check check (state in (
    'queued', 'sending', 'sent', 'retrying', 'failed', 'dropped', 'settled'));
