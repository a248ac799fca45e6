//! I2 and I7: a time that is offered to a client on the wait list is closed to all others as long
//! as that lasts and no longer, each client has one at most, and each has the timer of its end.

use std::collections::BTreeSet;

use anyhow::Result;
use booking::timers::kinds::OFFER_END;
use kernel::Id;
use kernel::id::{Block, Customer};
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::report::Report;
use crate::stores::Store;
use crate::violation::{Finding, Invariant};

/// A row of `waiting_offers`, and what stands around it.
#[derive(Debug, Clone)]
struct OfferRow {
    offer_id: Id<Block>,
    customer_id: Id<Customer>,
    is_open: bool,
    /// Whether its time is closed on the practitioner's day, just as it was offered.
    is_closed: bool,
    has_timer: bool,
}

/// Goes through all offers.
pub(crate) async fn check(booking: &mut Store, report: &mut Report) -> Result<()> {
    let query = sqlx::query(
        "select o.offer_id, o.customer_id, o.state = 'open' as is_open,
                coalesce(r.live and (o.state <> 'open' or (r.practitioner_id = o.practitioner_id
                         and r.starts_at = o.starts_at and r.ends_at = o.ends_at)), false)
                    as is_closed,
                exists (select from timers where kind = $1
                        and subject = 'blk_' || replace(o.offer_id::text, '-', '')) as has_timer
         from waiting_offers o left join slot_reservations r on r.block_id = o.offer_id
         order by o.offer_id",
    );
    let rows = booking.rows(query.bind(OFFER_END), row).await?;
    let (mut times, mut timers) = (Finding::of(Invariant::I2), Finding::of(Invariant::I7));
    judge(&rows, &mut times, &mut timers);
    report.add(times.violations);
    report.add(timers.violations);
    Ok(())
}

fn row(row: &PgRow) -> Result<OfferRow, sqlx::Error> {
    Ok(OfferRow {
        offer_id: row.try_get("offer_id")?,
        customer_id: row.try_get("customer_id")?,
        is_open: row.try_get("is_open")?,
        is_closed: row.try_get("is_closed")?,
        has_timer: row.try_get("has_timer")?,
    })
}

fn judge(rows: &[OfferRow], times: &mut Finding, timers: &mut Finding) {
    let mut asked = BTreeSet::new();
    for row in rows {
        let id = row.offer_id;
        match (row.is_open, row.is_closed) {
            (true, false) => times.add(format!("{id} is offered, and its time is not closed")),
            (false, true) => times.add(format!("{id} is over, and its time is closed")),
            (true, true) | (false, false) => {}
        }
        if row.is_open && !asked.insert(row.customer_id) {
            times.add(format!("{} has two offers", row.customer_id));
        }
        if row.is_open && !row.has_timer {
            timers.add(format!("{id} is offered, and no timer is left for {OFFER_END}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn row(number: u128, is_open: bool, is_closed: bool) -> OfferRow {
        let (offer_id, customer_id) = (Uuid::from_u128(number), Uuid::from_u128(number));
        let (offer_id, customer_id) = (Id::from_uuid(offer_id), Id::from_uuid(customer_id));
        OfferRow { offer_id, customer_id, is_open, is_closed, has_timer: is_open }
    }

    fn found(rows: &[OfferRow]) -> [usize; 2] {
        let (mut times, mut timers) = (Finding::of(Invariant::I2), Finding::of(Invariant::I7));
        judge(rows, &mut times, &mut timers);
        [times.violations.len(), timers.violations.len()]
    }

    #[test]
    fn an_offer_holds_its_time_for_one_client_until_it_is_over() {
        let open = row(1, true, true);
        assert_eq!(found(&[open.clone(), row(2, false, false)]), [0, 0]);
        assert_eq!(found(&[row(1, true, false)]), [1, 0]);
        assert_eq!(found(&[row(1, false, true)]), [1, 0]);
        let again = OfferRow { customer_id: open.customer_id, ..row(2, true, true) };
        assert_eq!(found(&[open.clone(), again]), [1, 0]);
        assert_eq!(found(&[OfferRow { has_timer: false, ..open }]), [0, 1]);
    }
}
