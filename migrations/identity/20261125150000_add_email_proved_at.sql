-- When a code that was mailed to the address was redeemed, or the operator named the address: then
-- the account's address is proved. email_confirmed_at is set without a code, too, where the practice
-- asks for none.
alter table users add column email_proved_at timestamptz;

-- Accounts that were asked for a code were confirmed by it.
update users set email_proved_at = email_confirmed_at where confirmation_sent_at is not null;
