//! Queries of what was shown when the terms of a booking were accepted.

use eventstore::StoreError;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

/// One text that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedText {
    /// The day of its last change, as the page said it.
    pub version: String,
    /// The hash of its words, as the page said it.
    pub hash: String,
    /// Its words; `None` where the practice has never had them.
    pub words: Option<String>,
}

/// What was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedTerms {
    /// When.
    pub accepted_at: Timestamp,
    /// Until how many hours before its start a session could be cancelled with a refund.
    pub notice_hours: i32,
    /// The same as the page said it.
    pub shown_notice_hours: Option<i32>,
    /// The terms; `None` where the page did not say which.
    pub terms: Option<AcceptedText>,
    /// The refund policy.
    pub refunds: Option<AcceptedText>,
    /// The privacy policy.
    pub privacy: Option<AcceptedText>,
}

/// What was shown when the terms of a booking were accepted, the last time; `None` where that was
/// not recorded.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<AcceptedTerms>, StoreError> {
    let sql = "select a.accepted_at, a.notice_hours, a.shown_notice_hours,
                      a.terms_version, a.terms_hash, t.words as terms_words,
                      a.refunds_version, a.refunds_hash, r.words as refunds_words,
                      a.privacy_version, a.privacy_hash, p.words as privacy_words
               from accepted_terms a
               left join shown_texts t on t.hash = a.terms_hash and t.name = 'terms'
               left join shown_texts r on r.hash = a.refunds_hash and r.name = 'refunds'
               left join shown_texts p on p.hash = a.privacy_hash and p.name = 'privacy'
               where a.booking_id = $1 order by a.accepted_at desc limit 1";
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &PgRow) -> Result<AcceptedTerms, StoreError> {
    let text = |name: &str| -> Result<Option<AcceptedText>, StoreError> {
        let version: Option<String> = row.try_get(&*format!("{name}_version"))?;
        let hash: Option<String> = row.try_get(&*format!("{name}_hash"))?;
        let words = row.try_get(&*format!("{name}_words"))?;
        Ok(version.zip(hash).map(|(version, hash)| AcceptedText { version, hash, words }))
    };
    Ok(AcceptedTerms {
        accepted_at: row.try_get("accepted_at")?,
        notice_hours: row.try_get("notice_hours")?,
        shown_notice_hours: row.try_get("shown_notice_hours")?,
        terms: text("terms")?,
        refunds: text("refunds")?,
        privacy: text("privacy")?,
    })
}
