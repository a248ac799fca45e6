//! Projects this service's events into its tables. It makes no decisions.

use std::fmt;

use eventstore::{StoreError, Tx};
use kernel::id::Review;
use kernel::{Id, Timestamp};
use sqlx::Row as _;

use crate::domain::review::{Event, Facts, Moderator};

/// What the writer of a review typed. It is personal data and in no event.
#[derive(Clone, PartialEq, Eq)]
pub struct ReviewContent {
    /// Their name, which is public.
    pub name: String,
    /// Their email address, visible to staff only.
    pub email: String,
    /// The review's text.
    pub text: String,
}

impl fmt::Debug for ReviewContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewContent").finish_non_exhaustive()
    }
}

/// Projects one event of a review; `content` belongs to its publication.
pub async fn review(
    tx: &mut Tx,
    (id, now): (Id<Review>, Timestamp),
    event: &Event,
    content: Option<&ReviewContent>,
) -> Result<(), StoreError> {
    match event {
        Event::Submitted { facts } => submitted(tx, facts, content, now).await,
        Event::Verified { .. } => verified(tx, id).await,
        Event::Deleted { by, at } => deleted(tx, id, *by, *at).await,
        Event::Restored { .. } => restored(tx, id).await,
        Event::Erased => erased(tx, id, now).await,
    }
}

async fn submitted(
    tx: &mut Tx,
    facts: &Facts,
    content: Option<&ReviewContent>,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into reviews (review_id, name, email, service, rating, text, image_id, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(facts.review_id)
    .bind(content.map(|it| it.name.as_str()).unwrap_or_default())
    .bind(content.map(|it| it.email.as_str()).unwrap_or_default())
    .bind(&facts.service)
    .bind(facts.rating.stars())
    .bind(content.map(|it| it.text.as_str()).unwrap_or_default())
    .bind(facts.image_id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    count(tx, facts.rating.stars(), (1, 0)).await
}

async fn verified(tx: &mut Tx, id: Id<Review>) -> Result<(), StoreError> {
    let rating = sqlx::query_scalar(
        "update reviews set verified = true where review_id = $1 returning rating::int",
    )
    .bind(id)
    .fetch_one(tx.connection())
    .await?;
    count(tx, rating, (0, 1)).await
}

async fn deleted(
    tx: &mut Tx,
    id: Id<Review>,
    by: Moderator,
    at: Timestamp,
) -> Result<(), StoreError> {
    let row = sqlx::query(
        "update reviews set deleted_at = $2, deleted_by = $3 where review_id = $1
         returning rating::int as rating, verified::int as verified",
    )
    .bind(id)
    .bind(at)
    .bind(by.to_string())
    .fetch_one(tx.connection())
    .await?;
    let verified: i32 = row.try_get("verified")?;
    count(tx, row.try_get("rating")?, (-1, -verified)).await
}

async fn restored(tx: &mut Tx, id: Id<Review>) -> Result<(), StoreError> {
    let row = sqlx::query(
        "update reviews set deleted_at = null, deleted_by = null where review_id = $1
         returning rating::int as rating, verified::int as verified",
    )
    .bind(id)
    .fetch_one(tx.connection())
    .await?;
    count(tx, row.try_get("rating")?, (1, row.try_get("verified")?)).await
}

/// The row stays, because a repeated deletion gets the same answer as before.
async fn erased(tx: &mut Tx, id: Id<Review>, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "update reviews set name = '', email = '', text = '', image_id = null, erased_at = $2
         where review_id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Adds to the number of reviews with this rating, and of those with the badge.
async fn count(tx: &mut Tx, rating: i32, (more, verified): (i32, i32)) -> Result<(), StoreError> {
    sqlx::query(
        "update review_figures
         set count = count + $2, verified_count = verified_count + $3
         where rating = $1",
    )
    .bind(rating)
    .bind(more)
    .bind(verified)
    .execute(tx.connection())
    .await?;
    Ok(())
}
