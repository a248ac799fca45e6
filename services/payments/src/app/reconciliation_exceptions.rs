//! Reconciliation exceptions: orders, payments and settlements that nothing explains within a day,
//! each with its reason.

use eventstore::{Act, Metadata};
use staff::Staff;

use super::App;
use crate::error::{Error, Rejection, refuse};
pub use crate::read_model::reconciliation_exceptions::{Reason, ReconciliationException};
use crate::read_model::reconciliation_exceptions::{explain as write, find, is_explained};

const DAY: i64 = 24 * 3600;

/// All exceptions, oldest first; `include_young` adds those that are younger than a day and may
/// still resolve.
pub async fn list(app: &App, include_young: bool) -> Result<Vec<ReconciliationException>, Error> {
    let now = app.store.now().await?;
    let mut rows = find(app.store.pool()).await?;
    rows.retain(|row| include_young || now.seconds_since(row.since) >= DAY);
    Ok(rows)
}

/// Logs an error if there are exceptions older than a day; returns how many.
pub async fn report_overdue(app: &App) -> Result<usize, Error> {
    let rows = list(app, false).await?;
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

/// The name of this act in the audit log.
pub const EXPLAIN: &str = "ExplainOrder";
/// How long an explanation is, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=500;

/// Removes a row from the list with a staff member's explanation; idempotent.
///
/// # Errors
/// `InvalidExplanation`, or `NothingUnexplained` when the list has no such row.
pub async fn explain(
    app: &App,
    staff: Staff,
    (reason, subject): (&str, &str),
    explanation: &str,
) -> Result<(), Error> {
    let explanation = explanation.trim().to_owned();
    let is_plain = !explanation.chars().any(|it| it.is_control() && it != '\n');
    if !LENGTH.contains(&explanation.chars().count()) || !is_plain {
        return Err(refuse(Rejection::InvalidExplanation));
    }
    let reason = Reason::from_word(reason).ok_or(refuse(Rejection::NothingUnexplained))?;
    let subject = subject.to_owned();
    app.store
        .write(Metadata::by(staff.id.to_string(), None), move |tx| {
            let (subject, explanation) = (subject.clone(), explanation.clone());
            Box::pin(async move {
                tx.audit(staff, Act { action: EXPLAIN, subject: &subject }).await?;
                if is_explained(tx.connection(), reason, (&subject, &explanation)).await? {
                    return Ok(());
                }
                let rows = find(tx.connection()).await?;
                let mut named = rows.into_iter().filter(|row| row.reason == reason);
                let row = named.find(|row| row.subject() == subject);
                let row = row.ok_or(refuse(Rejection::NothingUnexplained))?;
                Ok(write(tx, &row, &explanation, staff.id).await?)
            })
        })
        .await
}
