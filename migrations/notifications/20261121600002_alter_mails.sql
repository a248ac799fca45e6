-- Who a mail goes to, as a keyed hash from which no address follows: it is only compared with that of
-- other mails, so that one address gets no more than so many of them in an hour.

alter table mails add column recipient_hash bytea check (octet_length(recipient_hash) = 16);
-- What reached an address lately.
create index mails_by_recipient on mails (recipient_hash, sent_at) where sent_at is not null;
-- What is on its way to it, or waits.
create index mails_live_by_recipient on mails (recipient_hash)
    where state in ('queued', 'sending', 'retrying');
