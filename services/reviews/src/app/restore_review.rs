//! Staff bring a review back that they have just taken away.

use std::sync::Arc;

use eventstore::audit::DONE;
use eventstore::{Act, Actor, Metadata, Tx};
use kernel::Id;
use kernel::id::Review;

use super::{Desk, Error, Rejection, refuse};
use crate::domain::review::Command;
use crate::moderation::door::Admitted;
use crate::moderation::grant;
use crate::store::OpenReview;
use crate::timers::kinds::ERASE_REVIEW;

/// The call's name in the audit log.
pub const METHOD: &str = "RestoreReview";

/// Answers which review is back; `None` when the grant has ended meanwhile.
///
/// # Errors
/// `ReviewNotFound` when there was never such a review, `UndoTooLate` when it stays deleted.
pub async fn restore_review(
    desk: &Arc<Desk>,
    admitted: Admitted,
    review_id: &str,
) -> Result<Option<Id<Review>>, Error> {
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
                restore(tx, admitted, id).await?;
                let act = Act { action: METHOD, subject: &id.to_string() };
                tx.audit_as(&actor, act, DONE).await?;
                Ok(Some(id))
            })
        })
        .await
}

async fn restore(tx: &mut Tx, admitted: Admitted, id: Id<Review>) -> Result<(), Error> {
    let found = OpenReview::load(tx, id).await?;
    let mut review = found.ok_or_else(|| refuse(Rejection::ReviewNotFound))?;
    let at = review.now;
    let decided = review.apply(tx, Command::Restore { by: admitted.holder.into(), at }).await?;
    if !decided.is_empty() {
        tx.end_timer(ERASE_REVIEW, &id.to_string()).await?;
        tracing::info!(review_id = %id, "a review is back");
    }
    Ok(())
}
