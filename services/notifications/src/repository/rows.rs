//! Reads rows of the table `mails`.

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::mails::mail::{About, Mail};

/// A mail from its row.
pub(super) fn parse_mail(row: &PgRow) -> Result<Mail, sqlx::Error> {
    Ok(Mail {
        id: row.try_get("mail_id")?,
        kind: parse_column(row, "kind")?,
        subject: row.try_get("subject")?,
        about: About::of_row(row.try_get("booking_id")?, row.try_get("code_id")?),
        payload: row.try_get("payload")?,
        state: parse_column(row, "state")?,
        attempts: row.try_get("attempts")?,
        due_at: row.try_get("due_at")?,
        queued_at: row.try_get("queued_at")?,
        first_tried_at: row.try_get("first_tried_at")?,
        in_flight: row.try_get("on_its_way")?,
    })
}

/// A value of a column that holds its name.
pub(super) fn parse_column<T>(row: &PgRow, column: &str) -> Result<T, sqlx::Error>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.try_get(column)?;
    text.parse().map_err(|error: T::Err| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: error.into(),
    })
}
