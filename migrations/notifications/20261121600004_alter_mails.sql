-- A keyed hash of an address stands for a person while it is kept. It is forgotten when it no
-- longer counts: an hour after its mail was sent, and at once when the mail is over without that.

comment on table mails is
    'personal: recipient_hash, a keyed pseudonym, until an hour after its mail. All else is ids.';
-- Where there is still something to forget.
create index mails_to_forget on mails (sent_at)
    where recipient_hash is not null and state in ('sent', 'failed', 'dropped', 'settled');
