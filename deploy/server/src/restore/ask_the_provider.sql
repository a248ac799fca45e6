-- In payments, after it was taken back to an earlier state: by a restore, or by the promotion of a
-- standby that was behind. Its lists are read at once, and every order that is still polled is asked about, also those
-- of sold bookings: what was given back since of a payment that the lists do not reach, only its order tells.
update timers set due_at = clock_now(), lease_until_at = '-infinity'
where kind in ('list-payments', 'poll-order', 'refund', 'close-link', 'ask-sold-order');
