//! Staff undo a deletion.

use std::sync::Arc;

use eventstore::audit::DONE;
use eventstore::{Act, Actor, Metadata, Tx};
use kernel::Id;
use kernel::id::Review;

use super::App;
use crate::domain::review::Command;
use crate::error::{Error, Rejection, rejected};
use crate::moderation::authorization::Authorized;
use crate::moderation::repository;
use crate::repository::LockedReview;
use crate::timers::kinds::ERASE_REVIEW;

/// The call's name in the audit log.
pub const METHOD: &str = "RestoreReview";

/// Returns the id of the restored review; `None` when the grant has ended.
///
/// # Errors
/// `ReviewNotFound` when no such review ever existed, `UndoTooLate` when the undo period is over.
pub async fn restore_review(
    app: &Arc<App>,
    authorized: Authorized,
    review_id: &str,
) -> Result<Option<Id<Review>>, Error> {
    let id: Id<Review> =
        review_id.parse().map_err(|_malformed| rejected(Rejection::ReviewNotFound))?;
    let actor = Actor::from(authorized.holder);
    let metadata = Metadata::traced(actor.name()).about(id.to_string());
    app.store
        .write(metadata, move |tx| {
            let actor = actor.clone();
            Box::pin(async move {
                if !repository::renew_grant(tx.connection(), authorized.grant).await? {
                    return Ok(None);
                }
                restore(tx, authorized, id).await?;
                let act = Act { action: METHOD, subject: &id.to_string() };
                tx.audit_as(&actor, act, DONE).await?;
                Ok(Some(id))
            })
        })
        .await
}

async fn restore(tx: &mut Tx, authorized: Authorized, id: Id<Review>) -> Result<(), Error> {
    let found = LockedReview::load(tx, id).await?;
    let mut review = found.ok_or_else(|| rejected(Rejection::ReviewNotFound))?;
    let at = review.now;
    let decided = review.apply(tx, Command::Restore { by: authorized.holder.into(), at }).await?;
    if !decided.is_empty() {
        tx.end_timer(ERASE_REVIEW, &id.to_string()).await?;
        tracing::info!(review_id = %id, "a review is back");
    }
    Ok(())
}
