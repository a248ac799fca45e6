//! The state of a booking as the widget on other sites reads it.

use eventstore::StoreError;
use kernel::Timestamp;
use sqlx::{PgExecutor, Row as _};

use crate::domain::report::{ReportId, ReportState};

const STATE: &str = "select b.state, b.held_until_at, c.now
     from (select clock_now() as now) c
     join widget_reports r on r.report_id = $1 and r.ends_at > c.now
     join bookings b using (booking_id)";

/// Where the booking of a report stands.
pub async fn state(executor: impl PgExecutor<'_>, id: ReportId) -> Result<ReportState, StoreError> {
    let row = sqlx::query(STATE).bind(id.uuid()).fetch_optional(executor).await?;
    let Some(row) = row else { return Ok(ReportState::Waiting) };
    let held_until_at: Option<Timestamp> = row.try_get("held_until_at")?;
    Ok(ReportState::of(row.try_get("state")?, held_until_at, row.try_get("now")?))
}
