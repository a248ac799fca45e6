//! Staff take a review away. It goes from everybody's eyes at once, and for good after a month.

use std::sync::Arc;

use eventstore::audit::DONE;
use eventstore::{Act, Actor, Metadata, Tx};
use kernel::id::Review;
use kernel::{Id, Timestamp};

use super::{App, Error, Rejection, rejected};
use crate::domain::review::{Command, erase_at, undo_until};
use crate::moderation::authorization::Authorized;
use crate::moderation::grant;
use crate::read_model::staff;
use crate::repository::LockedReview;
use crate::timers::kinds::{self, ERASE_REVIEW};

/// The call's name in the audit log.
pub const METHOD: &str = "DeleteReview";

/// Answers until when it can be brought back; `None` when the grant has ended meanwhile.
///
/// # Errors
/// `ReviewNotFound` when there was never such a review.
pub async fn delete_review(
    app: &Arc<App>,
    authorized: Authorized,
    review_id: &str,
) -> Result<Option<Timestamp>, Error> {
    let id: Id<Review> =
        review_id.parse().map_err(|_malformed| rejected(Rejection::ReviewNotFound))?;
    let actor = Actor::from(authorized.holder);
    let metadata =
        Metadata::by(actor.name(), runtime::telemetry::traceparent()).about(id.to_string());
    app.store
        .write(metadata, move |tx| {
            let actor = actor.clone();
            Box::pin(async move {
                if !grant::renew(tx.connection(), authorized.grant).await? {
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
    // The row has the very moment, so that a repeat is answered with the same.
    let deleted_at = staff::deleted_at(tx.connection(), id).await?.ok_or_else(absent)?;
    if !decided.is_empty() {
        let payload = kinds::payload(tx);
        tx.set_timer(ERASE_REVIEW, &id.to_string(), erase_at(deleted_at), payload).await?;
        tracing::info!(review_id = %id, "a review is deleted");
    }
    Ok(deleted_at)
}
