//! Raises an alarm when a captured payment was found by asking and no webhook has told of it: the
//! provider switches an endpoint off that did not answer for a day, and says so by mail only.

use eventstore::Metadata;

use super::{App, Error};
use crate::domain::fact::PaymentId;
use crate::read_model::inbox;
use crate::timers;

/// Looks once whether the webhook of a payment has come by now.
///
/// # Errors
/// When the database does not answer.
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
                Ok(timers::end_expectation(tx, &payment).await?)
            })
        })
        .await
}
