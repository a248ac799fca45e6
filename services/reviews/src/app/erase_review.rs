//! Erases the personal data of a review 30 days after its deletion: name, address, text and
//! picture. Its stars and its history stay.

use std::sync::Arc;

use eventstore::{Metadata, Store, Tx};
use kernel::Id;
use kernel::id::Review;
use runtime::BoxError;

use super::App;
use crate::domain::review::{Command, State, erase_at};
use crate::error::Error;
use crate::picture;
use crate::picture::removal::remove_of_review;
use crate::repository::LockedReview;
use crate::timers::kinds::{self, ERASE_REVIEW};

/// Erases the review if it is still deleted. The picture's objects are removed first, because only
/// the row knows their names.
///
/// # Errors
/// When the database or the object storage does not answer; the timer retries.
pub async fn erase_review(app: &Arc<App>, id: Id<Review>) -> Result<(), BoxError> {
    if !write(&app.store, id, Mode::Check).await? {
        return Ok(());
    }
    remove_of_review(&app.store, &app.pictures.objects, id).await?;
    write(&app.store, id, Mode::Erase).await?;
    tracing::info!(review_id = %id, "a deleted review is erased");
    Ok(())
}

#[derive(Clone, Copy)]
enum Mode {
    /// Only check whether erasure is due.
    Check,
    /// Erase the review if erasure is due.
    Erase,
}

/// Returns whether erasure is due.
async fn write(store: &Store, id: Id<Review>, mode: Mode) -> Result<bool, Error> {
    let metadata = Metadata::traced("reviews").about(id.to_string());
    store.write(metadata, move |tx| Box::pin(async move { erase_if_due(tx, id, mode).await })).await
}

async fn erase_if_due(tx: &mut Tx, id: Id<Review>, mode: Mode) -> Result<bool, Error> {
    let subject = id.to_string();
    let review = LockedReview::load(tx, id).await?;
    let deleted = review.filter(|review| matches!(review.state, State::Deleted { .. }));
    let Some((mut review, at)) = deleted.and_then(|it| it.state.deleted_at().map(|at| (it, at)))
    else {
        // The review was restored, or is already erased.
        tx.end_timer(ERASE_REVIEW, &subject).await?;
        return Ok(false);
    };
    let now = review.now;
    if erase_at(at) > now {
        let payload = kinds::payload(tx);
        tx.set_timer(ERASE_REVIEW, &subject, erase_at(at), payload).await?;
        return Ok(false);
    }
    if let Mode::Erase = mode {
        picture::repository::delete_of_review(tx, id).await?;
        review.apply(tx, Command::Erase { at: now }).await?;
        tx.end_timer(ERASE_REVIEW, &subject).await?;
    }
    Ok(true)
}
