//! Handles the address to which a payment link's page leads its payer. The signature proves its
//! origin, not the capture, so the link and its payments are fetched from the provider at once.

use kernel::Id;
use kernel::id::{Booking, PaymentLink};
use runtime::status::chain;

use super::ask_provider::ask_about_link;
use super::fold::{Outcome, PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::{App, metadata, provider_failed, traced};
use crate::domain::fact::Source;
use crate::error::{Error, Rejection, refuse};
use crate::providers::LinkReturn;
use crate::read_model::{links, query};

/// Returns the payment's state after it. The payer may be signed out; the signature over this
/// booking's own link is the authority.
///
/// # Errors
/// `BookingNotFound`, `SignatureInvalid`, `ProviderUnavailable`, or that the database does not
/// answer.
pub async fn submit_link_return(
    app: &App,
    booking_id: Id<Booking>,
    answer: &LinkReturn,
) -> Result<Outcome, Error> {
    if !app.provider.is_own_link_return(answer) {
        tracing::warn!(%booking_id, "a link's return with a wrong signature was refused");
        return Err(refuse(Rejection::SignatureInvalid));
    }
    let pool = app.store.pool();
    let link_id = answer.reference.parse::<Id<PaymentLink>>();
    let link_id = link_id.map_err(|_malformed| refuse(Rejection::SignatureInvalid))?;
    let link = links::link(pool, link_id).await?;
    let created = link.filter(|row| row.booking_id == booking_id).and_then(|row| row.link.created);
    if created.is_none_or(|created| created.id != answer.link) {
        return Err(refuse(Rejection::BookingNotFound));
    }
    let row = query::collection(pool, booking_id).await?;
    let row = row.ok_or(refuse(Rejection::BookingNotFound))?;
    let trace = row.traceparent.as_deref();
    let work = async {
        let report = app.provider.link(&answer.link).await;
        let report = report.map_err(|error| provider_failed(booking_id, &error))?;
        let answers = ask_about_link(app, report).await;
        if let Some(error) = &answers.failed {
            // The answer is valid, and polling finds the payment later.
            tracing::warn!(%booking_id, error = chain(error), "a payment could not be fetched");
        }
        let report = fetch_refunds_and_orders(app, &row, answers).await?;
        let metadata = metadata("link-return", booking_id, trace);
        let how = (Source::Checkout, PollDirective::Restart);
        fold_in_transaction(app, metadata, booking_id, report, how).await
    };
    traced("submit link return", booking_id, trace, work).await
}
