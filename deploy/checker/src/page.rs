//! A page: everything that the stores hold about the bookings of a range, so that a practice of any
//! size is judged in little memory.

mod booking;
mod money;
mod mails;

use anyhow::Result;

use crate::blank::{Parked, empty};
use crate::history::History;
use crate::range::Range;
use crate::snapshot::Snapshot;
use crate::stores::Stores;

pub(crate) use mails::{mails_without_booking, reviews};
pub(crate) use money::orders_without;

/// Reads a page. The provider's book is empty; see `provider_book`.
pub(crate) async fn read(
    stores: &mut Stores,
    range: &Range,
    parked: &Parked,
) -> Result<(Snapshot, History)> {
    let mut snapshot = empty(stores, parked);
    booking::read(&mut stores.booking, range, &mut snapshot.booking).await?;
    money::read(&mut stores.payments, range, &mut snapshot.payments).await?;
    let history = History::read(&snapshot);
    money::read_ledger(&mut stores.payments, range, &history, &mut snapshot.payments).await?;
    mails::read(&mut stores.notifications, range, &mut snapshot.notifications).await?;
    Ok((snapshot, history))
}
