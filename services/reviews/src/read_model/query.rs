//! Public reads. No statement here selects the writers' addresses.

use contract::convert::to_wire;
use contract::reviews::v1 as wire;
use eventstore::StoreError;
use kernel::id::Review;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgExecutor, Row as _};

use super::page::Cursor;
use crate::picture::name::{Name, Size};

kernel::words! {
    /// Which reviews are listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Filter {
        /// All.
        All = "all",
        /// Those with the badge.
        Verified = "verified",
        /// Those of the last 30 days.
        Recent = "recent",
    }
}

/// Later than any review: the cursor of the first page, in seconds.
const LATEST: i64 = 253_370_764_800;

/// A public review with its cursor.
#[derive(Clone)]
pub struct ReviewRow {
    /// The public review.
    pub review: wire::Review,
    /// Its cursor.
    pub cursor: Cursor,
}

/// A page of reviews, newest first: at most `limit` after the cursor.
pub async fn list(
    executor: impl PgExecutor<'_>,
    filter: Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<ReviewRow>, StoreError> {
    let latest = Timestamp::from_seconds(LATEST).unwrap_or(Timestamp::EPOCH);
    let nil = Id::from_uuid(uuid::Uuid::nil());
    let after = after.unwrap_or(Cursor { created_at: latest, review_id: nil });
    // The limit is a literal, not a parameter: only then does PostgreSQL keep the plan instead of
    // planning each page again.
    let statement = format!("{} limit {limit}", list_statement(filter));
    let rows = sqlx::query(AssertSqlSafe(statement))
        .bind(after.created_at)
        .bind(after.review_id)
        .fetch_all(executor)
        .await?;
    rows.iter().map(review_row).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// The statement of a list; each filter has an index in its order. Its parameters are the cursor;
/// the limit is appended.
#[must_use]
pub fn list_statement(filter: Filter) -> &'static str {
    match filter {
        Filter::All => {
            "select r.review_id, r.name, r.service, r.rating::int as rating, r.text, r.verified,
                    r.created_at, i.name as image, i.width, i.height
             from reviews r left join review_images i on i.image_id = r.image_id
             where r.deleted_at is null and (r.created_at, r.review_id) < ($1, $2)
             order by r.created_at desc, r.review_id desc"
        }
        Filter::Verified => {
            "select r.review_id, r.name, r.service, r.rating::int as rating, r.text, r.verified,
                    r.created_at, i.name as image, i.width, i.height
             from reviews r left join review_images i on i.image_id = r.image_id
             where r.deleted_at is null and r.verified and (r.created_at, r.review_id) < ($1, $2)
             order by r.created_at desc, r.review_id desc"
        }
        Filter::Recent => {
            "select r.review_id, r.name, r.service, r.rating::int as rating, r.text, r.verified,
                    r.created_at, i.name as image, i.width, i.height
             from reviews r left join review_images i on i.image_id = r.image_id
             where r.deleted_at is null and (r.created_at, r.review_id) < ($1, $2)
               and r.created_at > (select clock_now()) - interval '30 days'
             order by r.created_at desc, r.review_id desc"
        }
    }
}

/// One review; `None` when it does not exist or was deleted.
pub async fn review(
    executor: impl PgExecutor<'_>,
    id: Id<Review>,
) -> Result<Option<wire::Review>, StoreError> {
    let row = sqlx::query(
        "select r.review_id, r.name, r.service, r.rating::int as rating, r.text, r.verified,
                r.created_at, i.name as image, i.width, i.height
         from reviews r left join review_images i on i.image_id = r.image_id
         where r.review_id = $1 and r.deleted_at is null",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(review_row).transpose()?.map(|row| row.review))
}

/// The statistics of all published reviews.
pub async fn statistics(
    executor: impl PgExecutor<'_>,
) -> Result<wire::GetStatisticsResponse, StoreError> {
    let rows = sqlx::query("select count, verified_count from review_figures order by rating")
        .fetch_all(executor)
        .await?;
    let mut figures = wire::GetStatisticsResponse::default();
    for row in rows {
        let (count, verified): (i64, i64) = (row.try_get("count")?, row.try_get("verified_count")?);
        figures.count = figures.count.saturating_add(count);
        figures.verified_count = figures.verified_count.saturating_add(verified);
        figures.counts_by_rating.push(count);
        figures.verified_counts_by_rating.push(verified);
    }
    Ok(figures)
}

/// Decodes the columns that all statements about whole reviews share: those of `reviews` except the
/// address, and `image`, `width` and `height` of the picture.
///
/// # Errors
/// When the row has other columns.
pub fn review_row(row: &PgRow) -> Result<ReviewRow, sqlx::Error> {
    let review_id: Id<Review> = row.try_get("review_id")?;
    let created_at: Timestamp = row.try_get("created_at")?;
    let review = wire::Review {
        review_id: review_id.to_string(),
        name: row.try_get("name")?,
        service: row.try_get("service")?,
        rating: row.try_get("rating")?,
        text: row.try_get("text")?,
        verified: row.try_get("verified")?,
        user_generated: true,
        created_at: Some(to_wire(created_at)),
        image: image(row)?,
    };
    Ok(ReviewRow { review, cursor: Cursor { created_at, review_id } })
}

fn image(row: &PgRow) -> Result<Option<wire::ReviewImage>, sqlx::Error> {
    let Some(name) = row.try_get::<Option<String>, _>("image")? else { return Ok(None) };
    let name: Name = name.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(Some(wire::ReviewImage {
        path: name.path(Size::Large),
        small_path: name.path(Size::Small),
        width: row.try_get("width")?,
        height: row.try_get("height")?,
    }))
}
