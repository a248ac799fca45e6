//! Money at the desk, to and from the wire.

use contract::payments::v1 as wire;
use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::amount::{from_wire, to_wire};
use super::fields::parse;
use crate::domain::collection::Event;
use crate::domain::desk::{Handover, Way};
use crate::domain::fact::{Amount, PaymentId};

pub(super) fn paid(
    booking_id: String,
    payment: &PaymentId,
    amount: &Amount,
    handover: &Handover,
) -> wire::DeskPaymentRecorded {
    wire::DeskPaymentRecorded {
        booking_id,
        payment_id: payment.to_string(),
        amount: to_wire(amount),
        way: handover.way.word().to_owned(),
        reference: handover.reference.clone(),
    }
}

pub(super) fn given_back(
    booking_id: String,
    refund_id: Id<RefundKind>,
    amount: &Amount,
    handover: &Handover,
) -> wire::DeskRefundRecorded {
    wire::DeskRefundRecorded {
        booking_id,
        refund_id: refund_id.to_string(),
        amount: to_wire(amount),
        way: handover.way.word().to_owned(),
        reference: handover.reference.clone(),
    }
}

pub(super) fn read_paid(event: wire::DeskPaymentRecorded) -> Option<Event> {
    Some(Event::PaidAtDesk {
        payment: PaymentId::parse(&event.payment_id)?,
        amount: event.amount.map(from_wire)?,
        handover: Handover { way: Way::from_word(&event.way)?, reference: event.reference },
    })
}

pub(super) fn read_given_back(event: wire::DeskRefundRecorded) -> Option<Event> {
    Some(Event::GivenBackAtDesk {
        refund_id: parse(&event.refund_id)?,
        amount: event.amount.map(from_wire)?,
        handover: Handover { way: Way::from_word(&event.way)?, reference: event.reference },
    })
}
