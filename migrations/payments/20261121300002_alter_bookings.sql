-- Where each booking stands, as booking last said; null for those that were announced before this
-- column was there and of which nothing was heard since.
alter table known_bookings add column state text check (state in (
    'requested', 'confirmed', 'unplaced', 'expired', 'released', 'cancelled', 'completed'));

-- The payment that a webhook told of, so that a captured payment whose webhook never came is seen.
alter table webhook_inbox add column payment_id text;
create index webhook_inbox_by_payment on webhook_inbox (payment_id) where payment_id is not null;
