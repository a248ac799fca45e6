-- A client is asked to choose another time, is told that a session takes place after all, and gets a code for
-- the page of a booking.

-- Only new mails can have the new words, so that the old ones need not be read.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in (
    'booking_confirmed', 'practice_notice', 'meeting_link', 'hold_ended',
    'refund_started', 'refund_done', 'confirm_address', 'recover_password',
    'booking_cancelled', 'cancellation_notice', 'receipt', 'reminder',
    'second_reminder', 'follow_up', 'contact_message', 'contact_acknowledgement',
    'meditation_guide', 'review_notice', 'day_sheet', 'dispute_notice', 'payment_page',
    'account_notice', 'staff_invitation',
    'sign_in_code', 'account_invitation', 'leave_address', 'new_address',
    'reauthentication', 'refund_failed', 'refund_failed_notice', 'room_missing_notice',
    'consent_code', 'booking_moved', 'move_notice', 'refund_asked', 'refund_asked_notice',
    'refund_answered', 'waiting_offer', 'move_proposed',
    'move_proposal_withdrawn', 'page_code')) not valid;
