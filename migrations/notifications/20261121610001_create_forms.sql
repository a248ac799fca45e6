-- What visitors wrote in the forms: the only names and addresses that this service keeps, and not for
-- long. A row goes away some time after its mails are over.

create table contact_messages (
    message_id uuid primary key,
    name text not null,
    email text not null,
    message text not null,
    received_at timestamptz not null
);
comment on table contact_messages is 'personal: messages of the contact form, until they are erased.';

create table guide_requests (
    request_id uuid primary key,
    email text not null,
    received_at timestamptz not null
);
comment on table guide_requests is 'personal: who asked for the meditation guide, until it is erased.';
