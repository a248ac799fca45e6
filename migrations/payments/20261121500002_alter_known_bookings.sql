-- What booking wants to become of a booking's money, so that money that is learnt of afterwards goes
-- the same way: the payment that could not be placed, and what a cancellation gives back.
alter table known_bookings
    add column unplaced_payment_id text,
    add column refund_minor bigint,
    add column refund_currency text,
    add check ((refund_minor is null) = (refund_currency is null));
