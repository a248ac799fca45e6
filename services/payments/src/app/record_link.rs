//! Stores that a payment link exists at the provider.

use super::{App, metadata};
use crate::domain::collection::Command;
use crate::domain::link::Withdrawal;
use crate::error::Error;
use crate::providers::LinkReport;
use crate::read_model::links::LinkRow;
use crate::read_model::query;
use crate::repository::LockedCollection;

/// Records the provider's link. If the booking has ended meanwhile, the link is withdrawn at once.
///
/// # Errors
/// When the database does not answer, or the provider has another link under this reference.
pub async fn record_link(
    app: &App,
    link: &LinkRow,
    report: LinkReport,
    trace: Option<&str>,
) -> Result<(), Error> {
    let (booking_id, link_id) = (link.booking_id, link.link_id);
    let provider = app.provider.name();
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let (provider, created) = (provider.to_owned(), report.link.clone());
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                let record = Command::RecordLink { provider, link_id, created };
                locked.apply(tx, record).await?;
                if !query::booking_state(tx.connection(), booking_id).await?.takes_money() {
                    let why = Withdrawal::Ended;
                    locked.apply(tx, Command::WithdrawLinks { why }).await?;
                }
                Ok(())
            })
        })
        .await
}
