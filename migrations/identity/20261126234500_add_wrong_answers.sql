-- The code of a phone that is a second factor is derived from its challenge's id, and void after some
-- wrong answers. Its messages are limited by account as well, which is one more kind of limit.
alter table challenges add column wrong_answers smallint not null default 0;

alter table address_limits drop constraint address_limits_kind_check;
alter table address_limits add constraint address_limits_kind_check check (kind in (
    'password', 'code', 'signup_mail', 'recovery_mail', 'magiclink_mail', 'invite_mail',
    'change_mail', 'reauthentication_mail', 'phone_message', 'factor_message'));
