//! Staff take a review away. It goes from everybody's eyes at once, and for good after a month.

use std::sync::Arc;

use eventstore::audit::DONE;
use eventstore::{Act, Actor, Metadata, Tx};
use kernel::id::Review;
use kernel::{Id, Timestamp};

use super::{Desk, Error, Rejection, refuse};
use crate::domain::review::{Command, erase_at, undo_until};
use crate::moderation::door::Admitted;
use crate::moderation::grant;
use crate::read_model::staff;
use crate::store::OpenReview;
use crate::timers::kinds::{self, ERASE_REVIEW};

/// The call's name in the audit log.
pub const METHOD: &str = "DeleteReview";

/// Answers until when it can be brought back; `None` when the grant has ended meanwhile.
///
/// # Errors
/// `ReviewNotFound` when there was never such a review.
pub async fn delete_review(
    desk: &Arc<Desk>,
    admitted: Admitted,
    review_id: &str,
) -> Result<Option<Timestamp>, Error> {
    let id: Id<Review> =
        review_id.parse().map_err(|_malformed| refuse(Rejection::ReviewNotFound))?;
    let actor = Actor::from(admitted.holder);
    let metadata =
        Metadata::by(actor.name(), runtime::telemetry::traceparent()).about(id.to_string());
    desk.store
        .write(metadata, move |tx| {
            let actor = actor.clone();
            Box::pin(async move {
                if !grant::renew(tx.connection(), admitted.grant).await? {
                    return Ok(None);
                }
                let deleted_at = delete(tx, admitted, id).await?;
                let act = Act { action: METHOD, subject: &id.to_string() };
                tx.audit_as(&actor, act, DONE).await?;
                Ok(Some(undo_until(deleted_at)))
            })
        })
        .await
}

async fn delete(tx: &mut Tx, admitted: Admitted, id: Id<Review>) -> Result<Timestamp, Error> {
    let absent = || refuse(Rejection::ReviewNotFound);
    let mut review = OpenReview::load(tx, id).await?.ok_or_else(absent)?;
    let at = review.now;
    let decided = review.apply(tx, Command::Delete { by: admitted.holder.into(), at }).await?;
    // The row has the very moment, so that a repeat is answered with the same.
    let deleted_at = staff::deleted_at(tx.connection(), id).await?.ok_or_else(absent)?;
    if !decided.is_empty() {
        let payload = kinds::payload(tx);
        tx.set_timer(ERASE_REVIEW, &id.to_string(), erase_at(deleted_at), payload).await?;
        tracing::info!(review_id = %id, "a review is deleted");
    }
    Ok(deleted_at)
}
