//! The reasons for failed payments, in the provider's form.

use crate::store::rows::{Failure, Method};

/// The failure of a test card or of a request that the payer declined.
pub(crate) fn declined(method: Method) -> Failure {
    let (description, source, step, reason) = match method {
        Method::Upi => (
            "Payment was declined in the UPI app. Please try again or use another method.",
            "customer",
            "payment_authentication",
            "payment_cancelled",
        ),
        Method::Card | Method::Netbanking | Method::Wallet => (
            "Your card was declined. Please try a different card or another method.",
            "issuer_bank",
            "payment_authorization",
            "payment_failed",
        ),
    };
    Failure {
        code: "BAD_REQUEST_ERROR".to_owned(),
        description: description.to_owned(),
        source: source.to_owned(),
        step: step.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The failure of every collect request to a UPI ID: India's banks no longer support that flow.
pub(crate) fn collect_not_supported() -> Failure {
    Failure {
        code: "BAD_REQUEST_ERROR".to_owned(),
        description: "UPI IDs take no requests any more. Use the QR code or a UPI app.".to_owned(),
        source: "business".to_owned(),
        step: "payment_initiation".to_owned(),
        reason: "input_validation_failed".to_owned(),
    }
}

/// The failure of a payment that the payer did not decide about in time.
pub(super) fn timed_out() -> Failure {
    Failure {
        code: "BAD_REQUEST_ERROR".to_owned(),
        description: "Payment was not completed on time.".to_owned(),
        source: "customer".to_owned(),
        step: "payment_authentication".to_owned(),
        reason: "payment_timed_out".to_owned(),
    }
}
