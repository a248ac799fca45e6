-- Until when a network is known from which a right answer has come: wrong answers from others do not
-- keep it waiting.
alter table factor_limits add column proven_until_at timestamptz;
