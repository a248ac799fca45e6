-- The mails that are to be sent, and what became of each: a job table. Who a mail goes to and what it
-- says is asked for when it is sent, so nothing here is personal.

create table mails (
    mail_id uuid primary key,
    kind text not null check (kind in (
        'booking_confirmed', 'practice_notice', 'meeting_link', 'hold_ended', 'refund_started',
        'refund_done', 'confirm_address', 'recover_password')),
    -- The booking, refund or code that the mail is sent once for: its wire id.
    subject text not null,
    booking_id uuid,
    code_id uuid,
    -- What else an event said that the mail needs: ids and amounts only.
    payload jsonb not null default '{}',
    -- sending: handed to the mail server, whose answer is not known yet. failed: a person has to
    -- look. dropped: overtaken by what happened since, for example a code that was used.
    state text not null default 'queued' check (state in (
        'queued', 'sending', 'sent', 'retrying', 'failed', 'dropped')),
    attempts int not null default 0,
    -- When it is tried next, by the one clock; a change tells a worker that it is not alone.
    due_at timestamptz not null,
    -- Until when it waits for its meeting link; null when it needs none.
    waits_for_link_until_at timestamptz,
    -- Whether the meeting room exists, as far as its event has come here.
    link_known boolean not null default false,
    -- Whether the mail as it was last sent had the link.
    link_told boolean not null default false,
    -- A word for why the last try failed. Never what a server said: it may repeat an address.
    last_error text,
    -- The same on every try, so that a mail program can drop a repeat.
    message_id text,
    queued_at timestamptz not null,
    first_tried_at timestamptz,
    sent_at timestamptz,
    check (num_nonnulls(booking_id, code_id) = 1),
    check ((state = 'sent') = (sent_at is not null)),
    unique (kind, subject)
);
create index mails_by_booking on mails (booking_id);
-- What a person has to look at is found at once.
create index mails_failed on mails (queued_at) where state = 'failed';
comment on table mails is 'Every mail and what became of it. Ids only, no personal data.';
