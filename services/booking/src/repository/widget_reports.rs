//! Writes and deletes reports for the widget on other sites.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use crate::domain::report::ReportId;

/// The most rows that [`delete_ended`] deletes at once.
const DELETED_MAX: i64 = 10_000;

/// How many reports of a customer have not ended, other than this one.
pub async fn count_others(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    except: ReportId,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let count = sqlx::query_scalar(
        "select count(*) from widget_reports
         where customer_id = $1 and ends_at > $2 and report_id <> $3",
    )
    .bind(customer_id)
    .bind(now)
    .bind(except.uuid())
    .fetch_one(tx.connection())
    .await?;
    Ok(count)
}

/// A report that is to be about a booking of a customer.
#[derive(Debug, Clone, Copy)]
pub struct NewReport {
    /// Its id.
    pub id: ReportId,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The booking's customer.
    pub customer_id: Id<Customer>,
    /// When it ends, if it is new.
    pub ends_at: Timestamp,
}

/// Makes a report be about a booking. False where the id has ended or another customer has it.
pub async fn upsert(tx: &mut Tx, report: NewReport, now: Timestamp) -> Result<bool, StoreError> {
    let written = sqlx::query(
        "insert into widget_reports (report_id, booking_id, customer_id, ends_at)
         values ($1, $2, $3, $4)
         on conflict (report_id) do update set booking_id = excluded.booking_id
         where widget_reports.customer_id = excluded.customer_id and widget_reports.ends_at > $5",
    )
    .bind(report.id.uuid())
    .bind(report.booking_id)
    .bind(report.customer_id)
    .bind(report.ends_at)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Deletes reports that have ended, a batch at most; whether more may be left.
pub async fn delete_ended(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from widget_reports where report_id = any(array(
             select report_id from widget_reports where ends_at <= $1 limit $2))",
    )
    .bind(now)
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() == DELETED_MAX.unsigned_abs())
}
