//! Rows of uploads, with the review that each belongs to.

use eventstore::{Store, StoreError, Tx};
use kernel::Id;
use kernel::id::{Review, ReviewImage};
use serde_json::json;
use sqlx::Row as _;

use crate::picture::name::Name;
use crate::picture::outcome::Uploaded;
use crate::timers::kinds::DROP_IMAGE;

/// How long an upload may wait for its review.
const ATTACH_WITHIN_SECONDS: i64 = 60 * 60;

/// Inserts an upload before its objects are stored, and sets the timer that deletes it.
pub async fn insert(tx: &mut Tx, uploaded: Uploaded, name: Name) -> Result<(), StoreError> {
    let now = tx.now().await?;
    sqlx::query(
        "insert into review_images (image_id, name, width, height, uploaded_at)
         values ($1, $2, $3, $4, $5)",
    )
    .bind(uploaded.image_id)
    .bind(name.to_string())
    .bind(i64::from(uploaded.width))
    .bind(i64::from(uploaded.height))
    .bind(now)
    .execute(tx.connection())
    .await?;
    let due = now.plus_seconds(ATTACH_WITHIN_SECONDS);
    tx.set_timer(DROP_IMAGE, &uploaded.image_id.to_string(), due, json!({})).await
}

/// The number of uploads without a review, counted up to `most`.
pub async fn count_unattached(store: &Store, most: i64) -> Result<i64, StoreError> {
    let waiting = sqlx::query_scalar(
        "select count(*) from (select 1 from review_images where review_id is null limit $1) few",
    )
    .bind(most)
    .fetch_one(store.pool())
    .await?;
    Ok(waiting)
}

/// Attaches an upload to a review, in the transaction that publishes the review. False when the
/// upload is gone, expired or attached to another review; of concurrent attempts one succeeds.
pub async fn attach(
    tx: &mut Tx,
    image_id: Id<ReviewImage>,
    review_id: Id<Review>,
) -> Result<bool, StoreError> {
    let taken = sqlx::query(
        "update review_images set review_id = $2
         where image_id = $1 and review_id is null and dropped_at is null
           and uploaded_at > clock_now() - make_interval(secs => $3)",
    )
    .bind(image_id)
    .bind(review_id)
    .bind(f64::from(i32::try_from(ATTACH_WITHIN_SECONDS).unwrap_or(i32::MAX)))
    .execute(tx.connection())
    .await?
    .rows_affected();
    if taken == 0 {
        return Ok(false);
    }
    tx.end_timer(DROP_IMAGE, &image_id.to_string()).await?;
    Ok(true)
}

/// Marks an upload without a review as dropped, so that it cannot be attached any more, and returns
/// its name. None when it is attached or gone.
pub async fn mark_dropped(
    tx: &mut Tx,
    image_id: Id<ReviewImage>,
) -> Result<Option<Name>, StoreError> {
    let row = sqlx::query(
        "update review_images set dropped_at = coalesce(dropped_at, clock_now())
         where image_id = $1 and review_id is null returning name",
    )
    .bind(image_id)
    .fetch_optional(tx.connection())
    .await?;
    Ok(row.map(|row| name_of(&row)).transpose()?)
}

/// Deletes the row of a dropped upload whose objects are removed.
pub async fn delete_dropped(tx: &mut Tx, image_id: Id<ReviewImage>) -> Result<(), StoreError> {
    sqlx::query("delete from review_images where image_id = $1 and dropped_at is not null")
        .bind(image_id)
        .execute(tx.connection())
        .await?;
    tx.end_timer(DROP_IMAGE, &image_id.to_string()).await
}

/// Deletes the row of a review's picture whose objects are removed; in the transaction that erases
/// the review.
pub async fn delete_of_review(tx: &mut Tx, review_id: Id<Review>) -> Result<(), StoreError> {
    sqlx::query("delete from review_images where review_id = $1")
        .bind(review_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// The name of a review's picture, if it has one.
pub async fn name_of_review(
    store: &Store,
    review_id: Id<Review>,
) -> Result<Option<Name>, StoreError> {
    let row = sqlx::query("select name from review_images where review_id = $1")
        .bind(review_id)
        .fetch_optional(store.pool())
        .await?;
    Ok(row.map(|row| name_of(&row)).transpose()?)
}

/// Whether a picture is public: its review is published.
pub async fn is_visible(store: &Store, name: Name) -> Result<bool, StoreError> {
    let found: bool = sqlx::query_scalar(
        "select exists (
             select 1 from review_images i join reviews r using (review_id)
             where i.name = $1 and r.deleted_at is null)",
    )
    .bind(name.to_string())
    .fetch_one(store.pool())
    .await?;
    Ok(found)
}

fn name_of(row: &sqlx::postgres::PgRow) -> Result<Name, sqlx::Error> {
    let text: String = row.try_get("name")?;
    text.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
