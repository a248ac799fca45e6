//! Whether a booking's time can be placed when its money, or a claim of it, arrives.

use eventstore::Tx;

use crate::domain::booking::PlacementCheck;
use crate::domain::practitioners::Practitioners;
use crate::error::Error;
use crate::read_model::{busy_times, query};
use crate::repository::LockedBooking;

/// Checks whether a booking's time can still be placed now.
pub(crate) async fn check_placement(
    tx: &mut Tx,
    practitioners: &Practitioners,
    locked: &LockedBooking,
) -> Result<PlacementCheck, Error> {
    let replaced = match locked.state.facts() {
        Some(facts) => query::is_replaced(tx, facts, locked.now).await?,
        None => false,
    };
    let offered = locked.state.facts().is_none_or(|facts| {
        let practitioner = practitioners.get(&facts.practitioner_id);
        practitioner.is_some_and(|it| facts.sessions.iter().all(|span| it.rules.offers(*span)))
    });
    let free = locked.is_free(tx).await? && !is_busy(tx, locked).await?;
    Ok(PlacementCheck { free, replaced, offered })
}

/// Whether the practitioner is busy by their own calendar. Sessions that are still held keep their
/// time.
async fn is_busy(tx: &mut Tx, locked: &LockedBooking) -> Result<bool, Error> {
    let is_held = locked.state.held_until().is_some_and(|until| until > locked.now);
    let Some(facts) = locked.state.facts().filter(|_| !is_held) else { return Ok(false) };
    let times = facts.sessions.iter().map(|span| (facts.practitioner_id.as_str(), *span));
    let busy = busy_times::are_busy(tx, &times.collect::<Vec<_>>()).await?;
    Ok(busy.contains(&true))
}
