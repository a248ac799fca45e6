//! Money that the practice has to give back at its desk.

/// It stays in the list until a person records that it was given back.
pub(super) const OWED: &str = "
    select r.booking_id, c.order_id, r.payment_id, r.amount_minor, r.amount_currency,
           r.requested_at, null::text
    from refunds r join collections c using (booking_id)
    where r.state = 'requested' and r.provider = 'desk'";
