//! Staff delete a review. It is hidden at once and erased after 30 days.

use std::sync::Arc;

use eventstore::audit::DONE;
use eventstore::{Act, Actor, Metadata, Tx};
use kernel::id::Review;
use kernel::{Id, Timestamp};

use super::App;
use crate::domain::review::{Command, erase_at, undo_until};
use crate::error::{Error, Rejection, rejected};
use crate::moderation::authorization::Authorized;
use crate::moderation::repository;
use crate::read_model::staff;
use crate::repository::LockedReview;
use crate::timers::kinds::{self, ERASE_REVIEW};

/// The call's name in the audit log.
pub const METHOD: &str = "DeleteReview";

/// Returns until when the deletion can be undone; `None` when the grant has ended.
///
/// # Errors
/// `ReviewNotFound` when no such review ever existed.
pub async fn delete_review(
    app: &Arc<App>,
    authorized: Authorized,
    review_id: &str,
) -> Result<Option<Timestamp>, Error> {
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
                let deleted_at = delete(tx, authorized, id).await?;
                let act = Act { action: METHOD, subject: &id.to_string() };
                tx.audit_as(&actor, act, DONE).await?;
                Ok(Some(undo_until(deleted_at)))
            })
        })
        .await
}

async fn delete(tx: &mut Tx, authorized: Authorized, id: Id<Review>) -> Result<Timestamp, Error> {
    let absent = || rejected(Rejection::ReviewNotFound);
    let mut review = LockedReview::load(tx, id).await?.ok_or_else(absent)?;
    let at = review.now;
    let decided = review.apply(tx, Command::Delete { by: authorized.holder.into(), at }).await?;
    // The row keeps the time of the first deletion, so that a repeated call gets the same answer.
    let deleted_at = staff::deleted_at(tx.connection(), id).await?.ok_or_else(absent)?;
    if !decided.is_empty() {
        let payload = kinds::payload(tx);
        tx.set_timer(ERASE_REVIEW, &id.to_string(), erase_at(deleted_at), payload).await?;
        tracing::info!(review_id = %id, "a review is deleted");
    }
    Ok(deleted_at)
}
