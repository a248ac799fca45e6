//! A client's request for a refund as events of `proto/`. The words that client and practice wrote
//! stand in none.

use contract::payments::v1 as wire;
use eventstore::{NewEvent, StoreError};
use kernel::Id;
use kernel::id::RefundRequest as RefundRequestKind;

use super::amount::to_wire;
use crate::domain::refund_request::RefundRequest;

/// The stream of a request: asked, then answered.
#[must_use]
pub fn stream(id: Id<RefundRequestKind>) -> String {
    format!("refund-request-{}", id.uuid())
}

/// The event of a request that was made.
///
/// # Errors
/// When `proto/` does not declare it.
pub fn asked(request: &RefundRequest) -> Result<NewEvent, StoreError> {
    Ok(NewEvent::of(&wire::RefundAsked {
        request_id: request.request_id.to_string(),
        booking_id: request.booking_id.to_string(),
    })?)
}

/// The event of a request that was answered.
///
/// # Errors
/// When `proto/` does not declare it.
pub fn answered(request: &RefundRequest) -> Result<NewEvent, StoreError> {
    Ok(NewEvent::of(&wire::RefundRequestAnswered {
        request_id: request.request_id.to_string(),
        booking_id: request.booking_id.to_string(),
        amount: request.amount.as_ref().and_then(to_wire),
    })?)
}

#[cfg(test)]
mod tests {
    use kernel::{Id, Timestamp};
    use serde_json::json;
    use uuid::Uuid;

    use super::{answered, asked, stream};
    use crate::domain::fact::Amount;
    use crate::domain::refund_request::{Deadlines, RefundRequest, RequestState};

    /// A change here is a change of the stored format.
    #[test]
    fn what_is_stored_has_ids_and_an_amount_and_no_words() {
        let request = RefundRequest {
            request_id: Id::from_uuid(Uuid::from_u128(9)),
            number: 17,
            booking_id: Id::from_uuid(Uuid::from_u128(2)),
            customer_id: Id::from_uuid(Uuid::from_u128(3)),
            reason: "My illness came back.".to_owned(),
            requested_at: Timestamp::EPOCH,
            deadlines: Deadlines::of(Timestamp::EPOCH, 7),
            state: RequestState::Granted,
            amount: Some(Amount { minor: 20_000, currency: "INR".to_owned() }),
            answer: "We are sorry.".to_owned(),
            answered_at: Some(Timestamp::EPOCH),
        };
        let ids = json!({
            "requestId": "rrq_00000000000000000000000000000009",
            "bookingId": "bkg_00000000000000000000000000000002",
        });
        let stored = asked(&request).unwrap();
        assert_eq!(stored.event_type, "payments.v1.RefundAsked");
        assert_eq!(stored.payload, ids);
        let stored = answered(&request).unwrap();
        assert_eq!(stored.event_type, "payments.v1.RefundRequestAnswered");
        let mut granted = ids.clone();
        granted["amount"] = json!({ "minorUnits": "20000", "currencyCode": "INR" });
        assert_eq!(stored.payload, granted);
        let declined = answered(&RefundRequest { amount: None, ..request.clone() }).unwrap();
        assert_eq!(declined.payload, ids);
        let name = "refund-request-00000000-0000-0000-0000-000000000009";
        assert_eq!(stream(request.request_id), name);
    }
}
