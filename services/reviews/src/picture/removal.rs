//! Pictures that go: uploads that no review took, and those of reviews that are erased. The objects
//! go before the row that knows of them, so a process that dies between leaves nothing unknown.

use eventstore::{Metadata, Store, StoreError};
use kernel::Id;
use kernel::id::{Review, ReviewImage};
use runtime::{BoxError, failpoint};

use crate::picture::name::Name;
use crate::picture::object_storage::ObjectStorage;
use crate::picture::repository;

/// Removes an upload that no review took within its hour; its timer fires this.
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
                    tx.end_timer(repository::DROP_IMAGE, &image_id.to_string()).await?;
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

/// Removes the objects of a review's picture, if it has one. The row goes afterwards, by
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
