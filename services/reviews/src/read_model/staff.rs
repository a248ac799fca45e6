//! Reads of staff: reviews with their writers' addresses, searched and filtered.

use contract::reviews::v1 as wire;
use contract::reviews::v1::ImageFilter;
use eventstore::StoreError;
use kernel::id::Review;
use kernel::typed::Text;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row as _};

use super::page::Cursor;
use super::query::{self, ReviewRow};

/// Maximum words of a search; each makes the query more expensive.
const WORDS_MAX: usize = 12;

/// The columns of a review, as [`query::review_row`] expects them, and the address.
const COLUMNS: &str = "r.review_id, r.name, r.email, r.service, r.rating::int as rating, r.text,
    r.verified, r.created_at, i.name as image, i.width, i.height
    from reviews r left join review_images i on i.image_id = r.image_id";

/// Condition of a word search; must equal the index's expression, or the index is not used.
const WORDS_LIKE: &str =
    "lower((r.name || ' ' || r.email || ' ' || r.text) collate \"und-x-icu\") like lower(";

/// Condition of a name prefix; must equal the index's expression.
const NAME_PREFIX_LIKE: &str = "lower(r.name collate \"und-x-icu\") like lower(";

/// A word with this many letters in a row can use the trigram index; a shorter one would read every
/// review.
const TRIGRAM_LETTERS: usize = 3;

/// Which reviews are listed.
#[derive(Clone, PartialEq, Eq)]
pub struct StaffReviewQuery {
    words: Vec<String>,
    service: String,
    rating: i32,
    image: ImageFilter,
}

impl std::fmt::Debug for StaffReviewQuery {
    /// Without the words: staff search for names and addresses.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaffReviewQuery")
            .field("service", &self.service)
            .field("rating", &self.rating)
            .field("image", &self.image)
            .finish_non_exhaustive()
    }
}

impl StaffReviewQuery {
    /// The query of a request.
    #[must_use]
    pub fn from_request(request: &wire::ListStaffReviewsRequest) -> Self {
        Self {
            words: words_of(&request.query),
            service: request.service.clone(),
            rating: request.rating,
            image: ImageFilter::try_from(request.image).unwrap_or_default(),
        }
    }

    /// The list id; page tokens contain its hash.
    #[must_use]
    pub fn list_id(&self) -> String {
        let image = i32::from(self.image);
        let (service, words) = (&self.service, self.words.join(" "));
        format!("staff\n{service}\n{}\n{image}\n{words}", self.rating)
    }

    fn push_filters(&self, sql: &mut QueryBuilder<Postgres>) {
        if self.words.iter().any(|word| uses_index(word)) {
            for word in &self.words {
                let anywhere = format!("%{}%", escape_like(word));
                sql.push(" and ")
                    .push(WORDS_LIKE)
                    .push_bind(anywhere)
                    .push(" collate \"und-x-icu\")");
            }
        } else if !self.words.is_empty() {
            let beginning = format!("{}%", escape_like(&self.words.join(" ")));
            sql.push(" and ").push(NAME_PREFIX_LIKE).push_bind(beginning);
            sql.push(" collate \"und-x-icu\")");
        }
        if !self.service.is_empty() {
            sql.push(" and r.service = ").push_bind(self.service.clone());
        }
        if self.rating != 0 {
            sql.push(" and r.rating = ").push_bind(self.rating);
        }
        match self.image {
            ImageFilter::Unspecified => {}
            ImageFilter::With => {
                sql.push(" and r.image_id is not null");
            }
            ImageFilter::Without => {
                sql.push(" and r.image_id is null");
            }
        }
    }
}

/// Escapes the wildcards of `like`.
fn escape_like(word: &str) -> String {
    let mut pattern = String::new();
    for letter in word.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// Whether the trigram index can find this word.
fn uses_index(word: &str) -> bool {
    let runs = word.split(|letter: char| !letter.is_alphanumeric());
    runs.map(|run| run.chars().count()).any(|letters| letters >= TRIGRAM_LETTERS)
}

/// A review as staff see it, with its cursor.
#[derive(Clone)]
pub struct StaffReviewRow {
    /// The review with the writer's address.
    pub review: wire::StaffReview,
    /// Its cursor.
    pub cursor: Cursor,
}

/// A page of reviews, newest first: at most `limit` after the cursor.
pub async fn list(
    executor: impl PgExecutor<'_>,
    query: &StaffReviewQuery,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<StaffReviewRow>, StoreError> {
    let mut sql = QueryBuilder::new("select ");
    sql.push(COLUMNS).push(" where r.deleted_at is null");
    if let Some(after) = after {
        sql.push(" and (r.created_at, r.review_id) < (");
        sql.push_bind(after.created_at).push(", ").push_bind(after.review_id).push(")");
    }
    query.push_filters(&mut sql);
    sql.push(" order by r.created_at desc, r.review_id desc limit ").push_bind(limit);
    // Not prepared: the best index depends on the words.
    let rows = sql.build().persistent(false).fetch_all(executor).await?;
    rows.iter().map(staff_review_row).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// One review; `None` when it does not exist or is deleted.
pub async fn review(
    executor: impl PgExecutor<'_>,
    id: Id<Review>,
) -> Result<Option<wire::StaffReview>, StoreError> {
    let mut sql = QueryBuilder::new("select ");
    sql.push(COLUMNS).push(" where r.deleted_at is null and r.review_id = ").push_bind(id);
    let row = sql.build().fetch_optional(executor).await?;
    Ok(row.as_ref().map(staff_review_row).transpose()?.map(|row| row.review))
}

/// When a review was deleted; `None` when it is not deleted.
pub async fn deleted_at(
    executor: impl PgExecutor<'_>,
    id: Id<Review>,
) -> Result<Option<Timestamp>, StoreError> {
    let at = sqlx::query_scalar("select deleted_at from reviews where review_id = $1")
        .bind(id)
        .fetch_optional(executor)
        .await?;
    Ok(at.flatten())
}

fn staff_review_row(row: &PgRow) -> Result<StaffReviewRow, sqlx::Error> {
    let ReviewRow { review, cursor } = query::review_row(row)?;
    let review = wire::StaffReview { review: Some(review), email: row.try_get("email")? };
    Ok(StaffReviewRow { review, cursor })
}

/// The words of a search, without the invisible marks that pasting puts around them.
fn words_of(typed: &str) -> Vec<String> {
    let plain = Text::parse(typed, usize::MAX).map(Text::into_string).unwrap_or_default();
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}');
    let words = plain.split_whitespace().map(|word| word.trim_matches(turns));
    words.filter(|word| !word.is_empty()).take(WORDS_MAX).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{StaffReviewQuery, escape_like, uses_index};
    use contract::reviews::v1::ListStaffReviewsRequest;

    #[test]
    fn like_wildcards_are_escaped() {
        assert_eq!(escape_like("100%_\\"), "100\\%\\_\\\\");
    }

    #[test]
    fn three_letters_in_a_row_are_in_the_index() {
        for word in ["asha", "100%", "a@example", "_abc", "मीरा"] {
            assert!(uses_index(word), "{word}");
        }
        for word in ["", "as", "%%%%", "a-b-c", "u@b.c", "\\"] {
            assert!(!uses_index(word), "{word}");
        }
    }

    #[test]
    fn words_are_never_printed_and_each_list_has_its_own_name() {
        let request = |query: &str, service: &str| {
            let (query, service) = (query.to_owned(), service.to_owned());
            StaffReviewQuery::from_request(&ListStaffReviewsRequest {
                query,
                service,
                ..Default::default()
            })
        };
        assert!(!format!("{:?}", request("asha@example.org", "")).contains("asha"));
        assert_eq!(request(" a  b ", "").list_id(), request("a b", "").list_id());
        let pasted = "\u{200e}a\u{200f}\u{202a} \u{200b}b\u{0}\u{202c} \u{200e}";
        assert_eq!(request(pasted, "").list_id(), request("a b", "").list_id());
        assert_ne!(request("a", "").list_id(), request("", "a").list_id());
        assert_eq!(request(&"a ".repeat(99), "").words.len(), super::WORDS_MAX);
    }
}
