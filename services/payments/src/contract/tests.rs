//! Snapshots of stored events. A change here is a change of the stored format.

use eventstore::{Metadata, Recorded};
use kernel::{Decider, Id, Money, Timestamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{collection_event, read_collection_event, receipt};
use crate::domain::collection::{CollectionLife, Event, LinkChange, Mismatch, State, Terms};
use crate::domain::desk::{Handover, Way, payment_id};
use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};
use crate::domain::fact::{
    Amount, DisputeId, Fact, LinkId, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId,
    Source, Status,
};
use crate::domain::link::{LinkFact, LinkStatus, ProviderLink, Withdrawal};
use crate::domain::receipt::due::Due;
use crate::domain::receipt::paper::Paper;
use crate::domain::receipt::tax::{PlaceOfSupply, Tax, split};
use crate::domain::receipt::{FinancialYear, Letterhead, Receipt};
use crate::domain::refund::{Cause, LOST_TO_A_DISPUTE, OVERTAKEN, Refund};

/// The events of a payment link.
fn link_events(order: &OrderId) -> Vec<Event> {
    let link = |change| Event::Link { link_id: Id::from_uuid(Uuid::from_u128(8)), change };
    let fact = LinkFact { status: LinkStatus::Paid, order: Some(order.clone()) };
    vec![
        link(LinkChange::Opened { expires_at: Timestamp::EPOCH }),
        link(LinkChange::Created {
            provider: RAZORPAY.to_owned(),
            created: ProviderLink {
                id: LinkId::parse("plink_AAAAAAAAAAAAAA").unwrap(),
                url: "https://pay.example/l/AAAAAAA".to_owned(),
            },
        }),
        link(LinkChange::Observed { fact, source: Source::Webhook }),
        link(LinkChange::Withdrawn(Withdrawal::Checkout)),
        link(LinkChange::Absent),
    ]
}

/// The events of money at the desk.
fn desk_events(amount: &Amount) -> [Event; 2] {
    let reference = "412345678901".to_owned();
    [
        Event::PaidAtDesk {
            payment: at_desk(Way::Cash),
            amount: amount.clone(),
            handover: Handover { way: Way::Cash, reference: String::new() },
        },
        Event::GivenBackAtDesk {
            refund_id: refund_id(),
            amount: amount.clone(),
            handover: Handover { way: Way::Upi, reference },
        },
    ]
}

fn events() -> Vec<Event> {
    let payment = PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap();
    let amount: Amount = Money::inr(50_000).into();
    let order = OrderId::parse("order_AAAAAAAAAAAAAA").unwrap();
    let refund_id = refund_id();
    let terms = Terms {
        collection_id: Id::from_uuid(Uuid::from_u128(1)),
        booking_id: Id::from_uuid(Uuid::from_u128(2)),
        customer_id: Id::from_uuid(Uuid::from_u128(3)),
        amount: Money::inr(50_000),
    };
    let fact =
        Fact { status: Status::Captured, amount: amount.clone(), order: Some(order.clone()) };
    let refund = Refund {
        payment: payment.clone(),
        amount: amount.clone(),
        cause: Cause::Double,
        renews: Some(Id::from_uuid(Uuid::from_u128(5))),
        accepted: None,
        end: None,
    };
    let provider_refund = ProviderRefundId::parse("rfnd_BBBBBBBBBBBBBB").unwrap();
    let discovered = Refund {
        accepted: Some(provider_refund),
        ..Refund::requested(payment.clone(), amount.clone(), Cause::Elsewhere)
    };
    let dispute = Dispute {
        provider: RAZORPAY.to_owned(),
        id: DisputeId::parse("disp_AAAAAAAAAAAAAA").unwrap(),
        payment: payment.clone(),
        fact: DisputeFact {
            phase: Phase::Chargeback,
            state: DisputeState::Open,
            respond_by: Timestamp::from_seconds(1_700_000_000),
            deducted_minor: 0,
            amount: amount.clone(),
            reason: "chargeback_authorization".to_owned(),
        },
    };
    let mut events = link_events(&order);
    events.extend(desk_events(&amount));
    events.extend([
        Event::Opened(terms),
        Event::OrderCreated { provider: RAZORPAY.to_owned(), order: order.clone() },
        Event::OrderObserved {
            order: OrderFact {
                provider: RAZORPAY.to_owned(),
                id: order,
                amount: amount.clone(),
                is_paid_in_full: true,
            },
        },
        Event::Claimed,
        Event::Observed { payment: Payment { id: payment.clone(), fact }, source: Source::Webhook },
        Event::Verified { payment: payment.clone(), amount: amount.clone() },
        Event::Failed { payment: payment.clone() },
        Event::Earned { payment: payment.clone(), amount: amount.clone() },
        Event::Retained { payment: payment.clone(), amount: amount.clone() },
        Event::Mismatched { payment, amount, reason: Mismatch::Double },
        Event::RefundDiscovered { refund_id, refund: discovered },
        Event::RefundRequested { refund_id, refund },
        Event::RefundAccepted { refund_id, provider_refund: taken() },
        Event::RefundProcessed { refund_id },
        Event::RefundReleased { refund_id },
        Event::DisputeObserved(dispute),
        Event::RefundFailed { refund_id, reason: "insufficient_balance".to_owned() },
    ]);
    events
}

fn at_desk(way: Way) -> PaymentId {
    payment_id(way, Uuid::from_u128(9)).unwrap()
}

#[test]
fn other_services_read_how_a_payment_was_made_at_the_desk() {
    for way in [Way::Cash, Way::Upi] {
        assert_eq!(contract::desk::way_of(at_desk(way).as_str()), Some(way.word()));
    }
}

const RAZORPAY: &str = "razorpay";

fn taken() -> ProviderRefundId {
    ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap()
}

fn refund_id() -> Id<kernel::id::Refund> {
    Id::from_uuid(Uuid::from_u128(4))
}

#[test]
fn events_are_stored_like_this_and_read_again() {
    let mut shown = Map::new();
    for event in events() {
        let stored = collection_event(booking_id(), RAZORPAY, &event, None).unwrap();
        shown.insert(stored.event_type.clone(), stored.payload.clone());
        let recorded = Recorded {
            event_id: stored.event_id,
            stream_id: "collection".to_owned(),
            version: 1,
            position: 0,
            event_type: stored.event_type,
            payload: stored.payload,
            metadata: Metadata::default(),
            recorded_at: Timestamp::EPOCH,
        };
        assert_eq!(read_collection_event(&recorded).unwrap(), event);
    }
    insta::assert_json_snapshot!("stored_events", Value::Object(shown));
}

fn booking_id() -> Id<kernel::id::Booking> {
    Id::from_uuid(Uuid::from_u128(2))
}

#[test]
fn a_refund_that_failed_tells_its_amount_and_whether_it_is_asked_for_again() {
    let of = |reason: &str| {
        let failed = Event::RefundFailed {
            refund_id: Id::from_uuid(Uuid::from_u128(4)),
            reason: reason.to_owned(),
        };
        let mut history = events();
        history.retain(|event| !matches!(event, Event::RefundFailed { .. }));
        history.retain(|event| !matches!(event, Event::RefundProcessed { .. }));
        history.retain(|event| !matches!(event, Event::RefundDiscovered { .. }));
        for event in &mut history {
            if let Event::DisputeObserved(dispute) = event
                && reason == LOST_TO_A_DISPUTE
            {
                dispute.fact.state = DisputeState::Lost;
                dispute.fact.deducted_minor = 50_000;
            }
        }
        history.push(failed.clone());
        // What the collection is opened with comes after its link in the list.
        history.sort_by_key(|event| !matches!(event, Event::Opened(_)));
        let fold = |state, event: &Event| CollectionLife::evolve(state, event);
        let State::Open(known) = history.iter().fold(State::Absent, fold) else { unreachable!() };
        collection_event(booking_id(), RAZORPAY, &failed, Some(&known)).unwrap().payload
    };
    assert_eq!(of("failed")["final"], Value::Null, "it is renewed");
    assert_eq!(of("failed")["amount"]["minorUnits"], "50000");
    assert_eq!(of(OVERTAKEN)["final"], Value::Null);
    let lost = of(LOST_TO_A_DISPUTE);
    assert_eq!(lost["givenByBank"]["minorUnits"], "50000");
}

#[test]
fn a_receipt_event_has_ids_serial_and_amount() {
    let issued_at: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
    let tax = Tax::Gst { percent: 18 };
    let receipt = Receipt {
        receipt_id: Id::from_uuid(Uuid::from_u128(6)),
        year: FinancialYear::of(issued_at, &jiff::tz::TimeZone::UTC),
        number: 1,
        serial: "SUK/26-27/00001".to_owned(),
        issued_at,
        due: Due {
            paper: Paper::Receipt,
            booking_id: Id::from_uuid(Uuid::from_u128(2)),
            payment: PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap(),
            refund: None,
            amount: Money::inr(50_000),
            tax,
            place: None,
            refers_to: None,
        },
        tax,
        parts: split(50_000, tax, PlaceOfSupply::SameState).unwrap(),
        payer: None,
        letterhead: Letterhead {
            issued_by: "The Practice".to_owned(),
            address: "A Street".to_owned(),
            gstin: "23AAAAA0000A1Z5".to_owned(),
            service_code: "999319".to_owned(),
        },
    };
    let stored = receipt::issued(&receipt).unwrap();
    let stream = receipt::stream(receipt.receipt_id);
    assert_eq!(stream, "receipt-00000000-0000-0000-0000-000000000006");
    insta::assert_json_snapshot!("stored_receipt", json!({ (stored.event_type): stored.payload }));
    let due = Due {
        paper: Paper::CreditNote,
        refund: Some(Id::from_uuid(Uuid::from_u128(7))),
        ..receipt.due.clone()
    };
    let stored = receipt::issued(&Receipt { due, ..receipt }).unwrap();
    insta::assert_json_snapshot!("stored_paper", json!({ (stored.event_type): stored.payload }));
}
