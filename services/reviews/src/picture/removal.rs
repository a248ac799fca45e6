//! Removes pictures: uploads without a review, and those of erased reviews. Objects are removed
//! before the row that names them, so a killed process leaves no unknown object.

use eventstore::{Metadata, Store, StoreError};
use kernel::Id;
use kernel::id::{Review, ReviewImage};
use runtime::{BoxError, failpoint};

use crate::picture::name::Name;
use crate::picture::object_storage::ObjectStorage;
use crate::picture::repository;
use crate::timers::kinds::DROP_IMAGE;

/// Removes an upload that no review took within an hour; called by its timer.
///
/// # Errors
/// When the database or the store of pictures does not answer; then it has to be done again.
pub async fn drop_image(
    store: &Store,
    objects: &ObjectStorage,
    image_id: Id<ReviewImage>,
) -> Result<(), BoxError> {
    let Some(name) = give_up(store, image_id).await? else { return Ok(()) };
    objects.remove(name).await?;
    failpoint::pass(&"picture.dropped");
    forget(store, image_id).await?;
    Ok(())
}

async fn give_up(store: &Store, image_id: Id<ReviewImage>) -> Result<Option<Name>, StoreError> {
    store
        .write(Metadata::by("reviews", None), move |tx| {
            Box::pin(async move {
                let name = repository::mark_dropped(tx, image_id).await?;
                if name.is_none() {
                    tx.end_timer(DROP_IMAGE, &image_id.to_string()).await?;
                }
                Ok(name)
            })
        })
        .await
}

async fn forget(store: &Store, image_id: Id<ReviewImage>) -> Result<(), StoreError> {
    store
        .write(Metadata::by("reviews", None), move |tx| {
            Box::pin(async move { repository::delete_dropped(tx, image_id).await })
        })
        .await
}

/// Removes the objects of a review's picture, if it has one. The row is deleted afterwards, by
/// `repository::delete_of_review` in the transaction that erases the review.
///
/// # Errors
/// When the database or the store of pictures does not answer; then it has to be done again.
pub async fn remove_of_review(
    store: &Store,
    objects: &ObjectStorage,
    review_id: Id<Review>,
) -> Result<(), BoxError> {
    if let Some(name) = repository::name_of_review(store, review_id).await? {
        objects.remove(name).await?;
        failpoint::pass(&"picture.erased");
    }
    Ok(())
}
