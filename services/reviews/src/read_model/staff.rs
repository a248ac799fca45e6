//! What only staff may read: reviews with their writers' addresses, searched and filtered.

use contract::reviews::v1 as wire;
use contract::reviews::v1::ImageFilter;
use eventstore::StoreError;
use kernel::id::Review;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row as _};

use super::page::Cursor;
use super::query::{self, Shown};

/// More words than this are not looked for: each makes the question dearer.
const WORDS_MAX: usize = 12;

/// The columns that make a review, as [`query::shown`] names them, and the address.
const COLUMNS: &str = "r.review_id, r.name, r.email, r.service, r.rating::int as rating, r.text,
    r.verified, r.created_at, i.name as image, i.width, i.height
    from reviews r left join review_images i on i.image_id = r.image_id";

/// Where words are looked for; the same as the index has it, or it would not be used.
const WORDS: &str =
    "lower((r.name || ' ' || r.email || ' ' || r.text) collate \"und-x-icu\") like lower(";

/// Where the beginning of a name is looked for; the same as the index has it.
const BEGINNING: &str = "lower(r.name collate \"und-x-icu\") like lower(";

/// So many letters in a row lead to rows by the index of words; fewer would have every review read.
const INDEXED_LETTERS: usize = 3;

/// Which reviews are listed.
#[derive(Clone, PartialEq, Eq)]
pub struct Wanted {
    words: Vec<String>,
    service: String,
    rating: i32,
    image: ImageFilter,
}

impl std::fmt::Debug for Wanted {
    /// Without the words: staff look for names and addresses.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted")
            .field("service", &self.service)
            .field("rating", &self.rating)
            .field("image", &self.image)
            .finish_non_exhaustive()
    }
}

impl Wanted {
    /// What a request asks for.
    #[must_use]
    pub fn of(asked: &wire::ListStaffReviewsRequest) -> Self {
        Self {
            words: asked.query.split_whitespace().take(WORDS_MAX).map(str::to_owned).collect(),
            service: asked.service.clone(),
            rating: asked.rating,
            image: ImageFilter::try_from(asked.image).unwrap_or_default(),
        }
    }

    /// The list's word in page tokens, which keep a hash of it.
    #[must_use]
    pub fn list(&self) -> String {
        let image = i32::from(self.image);
        let (service, words) = (&self.service, self.words.join(" "));
        format!("staff\n{service}\n{}\n{image}\n{words}", self.rating)
    }

    fn narrow(&self, sql: &mut QueryBuilder<Postgres>) {
        if self.words.iter().any(|word| is_indexed(word)) {
            for word in &self.words {
                let anywhere = format!("%{}%", literal(word));
                sql.push(" and ").push(WORDS).push_bind(anywhere).push(" collate \"und-x-icu\")");
            }
        } else if !self.words.is_empty() {
            let beginning = format!("{}%", literal(&self.words.join(" ")));
            sql.push(" and ").push(BEGINNING).push_bind(beginning);
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

/// A word as it is looked for: what has a meaning in patterns stands for itself.
fn literal(word: &str) -> String {
    let mut pattern = String::new();
    for letter in word.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// Whether the index of words leads to rows that have it.
fn is_indexed(word: &str) -> bool {
    let runs = word.split(|letter: char| !letter.is_alphanumeric());
    runs.map(|run| run.chars().count()).any(|letters| letters >= INDEXED_LETTERS)
}

/// A review as staff sees it, and its place in the list.
#[derive(Clone)]
pub struct Listed {
    /// What staff sees.
    pub review: wire::StaffReview,
    /// Its place.
    pub cursor: Cursor,
}

/// A page of reviews, newest first: at most `limit` that follow a place.
///
/// # Errors
/// When the database does not answer.
pub async fn list(
    executor: impl PgExecutor<'_>,
    wanted: &Wanted,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<Listed>, StoreError> {
    let mut sql = QueryBuilder::new("select ");
    sql.push(COLUMNS).push(" where r.deleted_at is null");
    if let Some(after) = after {
        sql.push(" and (r.created_at, r.review_id) < (");
        sql.push_bind(after.created_at).push(", ").push_bind(after.review_id).push(")");
    }
    wanted.narrow(&mut sql);
    sql.push(" order by r.created_at desc, r.review_id desc limit ").push_bind(limit);
    // Planned anew each time: which index is best depends on the words.
    let rows = sql.build().persistent(false).fetch_all(executor).await?;
    rows.iter().map(listed).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// One review; `None` when there is none or it is deleted.
///
/// # Errors
/// When the database does not answer.
pub async fn review(
    executor: impl PgExecutor<'_>,
    id: Id<Review>,
) -> Result<Option<wire::StaffReview>, StoreError> {
    let mut sql = QueryBuilder::new("select ");
    sql.push(COLUMNS).push(" where r.deleted_at is null and r.review_id = ").push_bind(id);
    let row = sql.build().fetch_optional(executor).await?;
    Ok(row.as_ref().map(listed).transpose()?.map(|listed| listed.review))
}

/// When a review was deleted; `None` when it is not.
///
/// # Errors
/// When the database does not answer.
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

fn listed(row: &PgRow) -> Result<Listed, sqlx::Error> {
    let Shown { review, cursor } = query::shown(row)?;
    let review = wire::StaffReview { review: Some(review), email: row.try_get("email")? };
    Ok(Listed { review, cursor })
}

#[cfg(test)]
mod tests {
    use super::{Wanted, is_indexed, literal};
    use contract::reviews::v1::ListStaffReviewsRequest;

    #[test]
    fn what_has_a_meaning_in_patterns_stands_for_itself() {
        assert_eq!(literal("100%_\\"), "100\\%\\_\\\\");
    }

    #[test]
    fn three_letters_in_a_row_are_in_the_index() {
        for word in ["asha", "100%", "a@example", "_abc", "मीरा"] {
            assert!(is_indexed(word), "{word}");
        }
        for word in ["", "as", "%%%%", "a-b-c", "u@b.c", "\\"] {
            assert!(!is_indexed(word), "{word}");
        }
    }

    #[test]
    fn words_are_never_printed_and_each_list_has_its_own_name() {
        let asked = |query: &str, service: &str| {
            let (query, service) = (query.to_owned(), service.to_owned());
            Wanted::of(&ListStaffReviewsRequest { query, service, ..Default::default() })
        };
        assert!(!format!("{:?}", asked("asha@example.org", "")).contains("asha"));
        assert_eq!(asked(" a  b ", "").list(), asked("a b", "").list());
        assert_ne!(asked("a", "").list(), asked("", "a").list());
        assert_eq!(asked(&"a ".repeat(99), "").words.len(), super::WORDS_MAX);
    }
}
