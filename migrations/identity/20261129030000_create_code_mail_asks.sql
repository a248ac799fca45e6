-- Mails with codes that were asked for within the last hour, which have a budget for all together.
-- No row says who asked or for whom.
create table code_mail_asks (
    ask_id bigint generated always as identity primary key,
    share text not null,
    asked_at timestamptz not null,
    constraint code_mail_asks_share_check check (share in ('open', 'accounts', 'devices'))
);

create index code_mail_asks_by_time on code_mail_asks (share, asked_at);

-- How many digits a code has: eight where no known device asked for it and no session is needed.
alter table codes add column digits smallint not null default 6;
