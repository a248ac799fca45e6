//! Logs an error when a captured payment was found by polling and no webhook has reported it: the
//! provider disables an endpoint that did not answer for a day, and reports that by mail only.

use eventstore::Metadata;

use super::App;
use crate::domain::fact::PaymentId;
use crate::error::Error;
use crate::read_model::inbox;
use crate::timers::kinds;

/// Checks once whether the webhook of a payment has arrived.
pub async fn detect_missing_webhook(app: &App, payment: &str) -> Result<(), Error> {
    let Some(payment) = PaymentId::parse(payment) else { return Ok(()) };
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            let payment = payment.clone();
            Box::pin(async move {
                if !inbox::has_reported(tx.connection(), &payment).await? {
                    tracing::error!(
                        %payment,
                        "no webhook has told of a captured payment: is the endpoint switched off?"
                    );
                }
                Ok(kinds::end_expectation(tx, &payment).await?)
            })
        })
        .await
}
