//! Writes what was shown when the terms of a booking were accepted, and the words of the versions.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use practice::legal::LegalText;
use sqlx::{Postgres, QueryBuilder};

use crate::domain::shown_texts::{Acceptance, ShownText};

/// Stores what was accepted with a booking that is there.
pub async fn insert(
    tx: &mut Tx,
    id: Id<Booking>,
    acceptance: Acceptance<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Acceptance { shown, notice_hours } = acceptance;
    let mut query = sqlx::query(
        "insert into accepted_terms (booking_id, accepted_at, notice_hours, shown_notice_hours,
                                     terms_version, terms_hash, refunds_version, refunds_hash,
                                     privacy_version, privacy_hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing",
    );
    query = query.bind(id).bind(now).bind(notice_hours).bind(shown.notice_hours);
    for text in [&shown.terms, &shown.refunds, &shown.privacy] {
        query = query.bind(text.as_ref().map(ShownText::version));
        query = query.bind(text.as_ref().map(ShownText::hash));
    }
    query.execute(tx.connection()).await?;
    Ok(())
}

/// Keeps the words of the practice's texts; a version that is kept already stays as it is.
pub async fn keep_texts(
    tx: &mut Tx,
    texts: &[LegalText],
    now: Timestamp,
) -> Result<(), StoreError> {
    if texts.is_empty() {
        return Ok(());
    }
    let mut sql = QueryBuilder::<Postgres>::new(
        "insert into shown_texts (hash, name, version, words, kept_at) ",
    );
    sql.push_values(texts, |mut row, text| {
        row.push_bind(&text.hash).push_bind(text.name).push_bind(&text.version);
        row.push_bind(&text.words).push_bind(now);
    });
    sql.push(" on conflict do nothing");
    sql.build().execute(tx.connection()).await?;
    Ok(())
}
