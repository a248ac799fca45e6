//! The query of payment links that should take no money and may still be paid.

/// Its timer tries to cancel it until long after its end.
pub(super) const NOT_CLOSED: &str = "
    select l.booking_id, c.order_id, null::text, c.amount_minor, c.amount_currency,
           l.withdrawn_at, null::text
    from payment_links l join collections c using (booking_id)
    where l.withdrawn_at is not null and l.status in ('created', 'partially_paid')
      and l.withdrawn_at < clock_now() - interval '1 hour'";
