//! What the widget on other sites is told of a booking that began in it: the account that holds the
//! booking says which one it is, and its state is read from the booking itself.

use std::sync::Arc;

use contract::booking::v1::ReportBookingRequest;
use eventstore::Metadata;
use kernel::Id;
use kernel::id::{Booking, Customer};
use service::IdempotencyKey;

use super::App;
use super::request::parse_key;
use crate::domain::report::{REPORT_MINUTES, REPORTS_MAX, ReportId, ReportState};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{query, widget_reports as read};
use crate::repository::customer_lock;
use crate::repository::widget_reports::{self, NewReport};

/// The method's name, stored with its idempotency keys.
const METHOD: &str = "ReportBooking";

/// Makes a report be about a customer's booking.
///
/// # Errors
/// `InvalidReportId`; `BookingNotFound` when the caller doesn't own the booking; `ReportEnded` when
/// the id has ended or another account has it; `TooManyReports`.
pub async fn report_booking(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    mut request: ReportBookingRequest,
) -> Result<(), Error> {
    let report_id = parse_report_id(&request.report_id)?;
    let not_found = || refuse(Rejection::BookingNotFound);
    let booking_id: Id<Booking> = request.booking_id.parse().map_err(|_malformed| not_found())?;
    let key = parse_key(&request.idempotency_key)?;
    request.idempotency_key.clear();
    let key = Arc::new(IdempotencyKey::of(&customer_id, METHOD, key, &request));
    let metadata = Metadata::traced(customer_id.to_string()).about(booking_id.to_string());
    app.store
        .write(metadata, move |tx| {
            let key = Arc::clone(&key);
            Box::pin(async move {
                tx.lock(&[key.lock_name(), customer_lock(customer_id)]).await?;
                if key.lookup::<Booking>(tx).await?.is_some() {
                    return Ok(());
                }
                query::version(tx.connection(), customer_id, booking_id)
                    .await?
                    .ok_or_else(not_found)?;
                let now = tx.now().await?;
                let others = widget_reports::count_others(tx, customer_id, report_id, now).await?;
                if others >= REPORTS_MAX {
                    return Err(refuse(Rejection::TooManyReports));
                }
                let ends_at = now.plus_minutes(REPORT_MINUTES);
                let report = NewReport { id: report_id, booking_id, customer_id, ends_at };
                if !widget_reports::upsert(tx, report, now).await? {
                    return Err(refuse(Rejection::ReportEnded));
                }
                Ok(key.store(tx, booking_id).await?)
            })
        })
        .await
}

/// Where the booking of a report stands, for a caller that knows the report's id.
///
/// # Errors
/// `InvalidReportId`.
pub async fn report_state(app: &App, report_id: &str) -> Result<ReportState, Error> {
    let id = parse_report_id(report_id)?;
    Ok(read::state(app.store.pool(), id).await?)
}

fn parse_report_id(text: &str) -> Result<ReportId, Error> {
    text.parse().map_err(|_malformed| refuse(Rejection::InvalidReportId))
}
