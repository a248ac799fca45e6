//! A time that was held for a client on the wait list is held no more: it lapsed, or the client or
//! staff do not want it. It goes to the next client.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::id::Block;
use kernel::{CommandError, Id};

use super::App;
use crate::domain::day;
use crate::error::Error;
use crate::repository::waiting_offers::{self, Outcome};
use crate::repository::{LockedDay, customer_lock, day_lock};
use crate::timers::kinds::OFFER_END;

/// Ends an offer whose time ran out, or whose client needs it no more.
///
/// # Errors
/// When the database does not answer.
pub async fn lapse(app: &Arc<App>, metadata: Metadata, subject: &str) -> Result<(), Error> {
    let id: Id<Block> = subject.parse().map_err(CommandError::unavailable)?;
    let shared = Arc::clone(app);
    app.store
        .write(metadata.about(id.to_string()), move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move {
                end_offer(tx, &app, id, Outcome::Lapsed).await?;
                // Also of one that was over.
                Ok(tx.end_timer(OFFER_END, &id.to_string()).await?)
            })
        })
        .await
}

/// Ends an open offer under the locks of its day and its client; does nothing to one that is over.
///
/// # Errors
/// When the database does not answer.
pub(super) async fn end_offer(
    tx: &mut Tx,
    app: &App,
    id: Id<Block>,
    outcome: Outcome,
) -> Result<(), Error> {
    let Some(found) = waiting_offers::open(tx.connection(), id).await? else { return Ok(()) };
    let date = app.rules.date_of(found.span.starts_at());
    let practitioner_id = found.practitioner_id.as_str();
    tx.lock(&[customer_lock(found.customer_id), day_lock(practitioner_id, date)]).await?;
    // It was taken or ended before its locks were granted.
    if waiting_offers::open(tx.connection(), id).await?.is_none() {
        return Ok(());
    }
    let (mut day, _now) = LockedDay::load(tx, &app.rules, practitioner_id, date).await?;
    waiting_offers::end(tx, id, outcome).await?;
    day.apply(tx, day::Command::Unblock { block_id: id }).await?;
    waiting_offers::offer_again(tx).await?;
    tracing::info!(offer_id = %id, ?outcome, "a time is not held for a waiting client any more");
    Ok(())
}
