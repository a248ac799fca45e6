//! Every order is explained within a day, or it stands in this list with its reason.

use super::{Error, Till};
use crate::read_model::unexplained::find;
pub use crate::read_model::unexplained::{Reason, Unexplained};

const DAY: i64 = 24 * 3600;

/// What nothing explains, oldest first; also what is younger than a day and may still explain
/// itself, if that is wanted.
///
/// # Errors
/// When the database does not answer.
pub async fn list(till: &Till, include_young: bool) -> Result<Vec<Unexplained>, Error> {
    let now = till.store.now().await?;
    let mut rows = find(till.store.pool()).await?;
    rows.retain(|row| include_young || now.seconds_since(row.since) >= DAY);
    Ok(rows)
}

/// Logs an error when something has not been explained for a day; says how many.
///
/// # Errors
/// When the database does not answer.
pub async fn tell(till: &Till) -> Result<usize, Error> {
    let rows = list(till, false).await?;
    let count = rows.len();
    if count > 0 {
        let mut reasons: Vec<&str> = rows.iter().map(|row| row.reason.word()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let reasons = reasons.join(" ");
        tracing::error!(count, reasons, "orders unexplained");
    }
    Ok(count)
}
