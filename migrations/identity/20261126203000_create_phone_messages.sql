-- Messages to phones, each with a code. The row is written with its code, and a timer sends it; its
-- id is the sender's idempotency key. The code itself is derived when it is sent.
create table phone_messages (
    message_id uuid primary key,
    code_id uuid not null,
    user_id uuid not null references users on delete cascade,
    -- Digits only, without the plus sign.
    phone text not null,
    channel text not null check (channel in ('sms', 'whatsapp')),
    created_at timestamptz not null,
    sent_at timestamptz,
    -- The sender refused it, or its code was not valid any more.
    refused_at timestamptz
);
create index phone_messages_by_time on phone_messages (created_at);
create index phone_messages_by_user on phone_messages (user_id);
comment on table phone_messages is 'personal';
