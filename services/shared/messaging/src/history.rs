//! Events as staff read them: what happened, when, and about how much money.

use contract::common::v1::{HistoryEntry, Money};
use contract::convert::to_wire;
use eventstore::Recorded;
use serde_json::Value;

/// Fields with a detail; the first one that an event has is shown.
const DETAILS: [&str; 8] =
    ["status", "state", "reason", "cause", "cancelledBy", "paidInFull", "attendance", "way"];
/// Fields that name another thing that an event is about.
const SUBJECTS: [&str; 5] = ["disputeId", "providerRefundId", "refundId", "orderId", "reference"];

/// Events in their order, in the form of the wire.
#[must_use]
pub fn history(events: &[Recorded]) -> Vec<HistoryEntry> {
    events.iter().map(entry).collect()
}

fn entry(event: &Recorded) -> HistoryEntry {
    let payload = &event.payload;
    let text = |field: &str| match payload.get(field) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(Value::Bool(said)) => Some(if *said { "yes" } else { "no" }.to_owned()),
        _ => None,
    };
    let first = |fields: &[&str]| fields.iter().find_map(|field| text(field)).unwrap_or_default();
    let name = event.event_type.rsplit('.').next().unwrap_or_default();
    HistoryEntry {
        event: name.to_owned(),
        recorded_at: Some(to_wire(event.recorded_at)),
        payment_id: text("paymentId").unwrap_or_default(),
        amount: payload.get("amount").and_then(money),
        detail: first(&DETAILS),
        subject: first(&SUBJECTS),
    }
}

/// An amount in proto3 JSON, which writes 64-bit numbers as text.
fn money(amount: &Value) -> Option<Money> {
    let minor = amount.get("minorUnits").and_then(Value::as_str).unwrap_or("0");
    let currency_code = amount.get("currencyCode")?.as_str()?.to_owned();
    Some(Money { minor_units: minor.parse().ok()?, currency_code })
}

#[cfg(test)]
mod tests {
    use eventstore::{Metadata, Recorded};
    use kernel::Timestamp;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::history;

    fn recorded(event_type: &str, payload: Value) -> Recorded {
        Recorded {
            event_id: Uuid::nil(),
            stream_id: "collection-1".to_owned(),
            version: 1,
            position: 1,
            event_type: event_type.to_owned(),
            payload,
            metadata: Metadata::default(),
            recorded_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn an_event_is_told_by_its_name_and_what_it_is_about() {
        let observed = json!({
            "bookingId": "bkg_1", "paymentId": "pay_1", "orderId": "order_1", "status": "captured",
            "amount": { "minorUnits": "50000", "currencyCode": "INR" },
        });
        let events = [
            recorded("payments.v1.PaymentObserved", observed),
            recorded("booking.v1.BookingConfirmed", json!({ "bookingId": "bkg_1" })),
        ];
        let told = history(&events);
        let [first, second] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((first.event.as_str(), first.detail.as_str()), ("PaymentObserved", "captured"));
        assert_eq!((first.payment_id.as_str(), first.subject.as_str()), ("pay_1", "order_1"));
        assert_eq!(first.amount.as_ref().map(|it| it.minor_units), Some(50_000));
        assert_eq!((second.event.as_str(), second.amount.clone()), ("BookingConfirmed", None));
    }
}
