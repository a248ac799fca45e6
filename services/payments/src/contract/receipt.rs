//! A receipt as an event of `proto/`.

use contract::payments::v1 as wire;
use eventstore::{NewEvent, StoreError};
use kernel::Id;
use kernel::id::Receipt as ReceiptKind;

use crate::domain::receipt::Receipt;
use crate::domain::receipt::paper::Paper;

/// The stream of a receipt; it has exactly one event.
#[must_use]
pub fn stream(id: Id<ReceiptKind>) -> String {
    format!("receipt-{}", id.uuid())
}

/// The event of an issued receipt.
///
/// # Errors
/// When `proto/` does not declare it.
pub fn issued(receipt: &Receipt) -> Result<NewEvent, StoreError> {
    Ok(NewEvent::of(&wire::ReceiptIssued {
        receipt_id: receipt.receipt_id.to_string(),
        booking_id: receipt.due.booking_id.to_string(),
        payment_id: receipt.due.payment.to_string(),
        serial: receipt.serial.clone(),
        amount: Some(receipt.due.amount.into()),
        paper: match receipt.due.paper {
            Paper::Receipt => String::new(),
            other => other.word().to_owned(),
        },
        refund_id: receipt.due.refund.map(|it| it.to_string()).unwrap_or_default(),
    })?)
}
