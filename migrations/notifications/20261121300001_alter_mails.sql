-- Mails about a cancelled booking: one to the customer, one to the practice.

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in (
    'booking_confirmed', 'practice_notice', 'meeting_link', 'hold_ended', 'refund_started',
    'refund_done', 'confirm_address', 'recover_password', 'booking_cancelled',
    'cancellation_notice'));
