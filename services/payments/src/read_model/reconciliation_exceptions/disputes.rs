//! The queries about disputes.

/// A dispute under review needs no action of the practice.
pub(super) const OPEN: &str = "
    select d.booking_id, c.order_id, d.payment_id, d.amount_minor, d.amount_currency, d.seen_at,
           null::text
    from disputes d join collections c using (booking_id)
    where d.state in ('open', 'action_required')";

/// It is listed until staff explains it.
pub(super) const LOST: &str = "
    select d.booking_id, c.order_id, d.payment_id,
           coalesce(nullif(d.deducted_minor, 0), d.amount_minor), d.amount_currency, d.seen_at,
           null::text
    from disputes d join collections c using (booking_id)
    where d.state = 'lost'";

pub(super) const REFUND_HELD: &str = "
    select r.booking_id, c.order_id, r.payment_id, r.amount_minor, r.amount_currency,
           r.requested_at, null::text
    from refunds r join collections c using (booking_id)
    where r.state = 'requested' and r.held";
