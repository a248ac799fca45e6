//! The documents that follow from each course of a payment; and properties of every history.

use kernel::{Decider as _, Id, Money, Timestamp, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{Due, Issued, PlaceOfSupply, Reference, Tax, next};
use crate::domain::collection::{Collection, CollectionLife, Command, Event, State, Terms};
use crate::domain::fact::{Fact, OrderId, Payment, PaymentId, ProviderRefundId, Source, Status};
use crate::domain::ledger::tests::decided::{any_command, states};
use crate::domain::receipt::paper::{Extent, Paper};
use crate::domain::refund::{Progress, RefundUpdate};

const RAZORPAY: &str = "razorpay";
const PRICE: i64 = 118_000;
const GST: Tax = Tax::Gst { percent: 18 };

/// Issues all that is due, as the service does.
fn issue(known: &Collection, issued: &mut Vec<Issued>, settings: (Extent, Tax)) -> Vec<Due> {
    let mut new = Vec::new();
    while let Some(due) = next(known, known.verified.as_ref(), issued, settings) {
        assert!(new.len() < 20, "there is no end: {new:#?}");
        let serial = format!("N/26-27/{:05}", issued.len() + 1);
        issued.push(Issued {
            paper: due.paper,
            payment: due.payment.clone(),
            refund: due.refund,
            amount_minor: due.amount.minor,
            tax: due.tax,
            place: due.place.unwrap_or(PlaceOfSupply::SameState),
            reference: Reference { serial, issued_at: Timestamp::from_seconds(0).unwrap() },
        });
        new.push(due);
    }
    new
}

/// A practice with one booking, which issues all documents.
struct Story {
    events: Vec<Event>,
    issued: Vec<Issued>,
    settings: (Extent, Tax),
}

impl Story {
    fn paid(settings: (Extent, Tax)) -> Self {
        let order = OrderId::parse("order_AAAAAAAAAAAAAA").unwrap();
        let terms = Terms {
            collection_id: Id::from_uuid(Uuid::from_u128(1)),
            booking_id: Id::from_uuid(Uuid::from_u128(2)),
            customer_id: Id::from_uuid(Uuid::from_u128(3)),
            amount: Money::inr(PRICE),
        };
        let events = vec![
            Event::Opened(terms),
            Event::OrderCreated { provider: RAZORPAY.to_owned(), order: order.clone() },
        ];
        let mut story = Self { events, issued: Vec::new(), settings };
        let id = PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap();
        let amount = Money::inr(PRICE).into();
        let fact = Fact { status: Status::Captured, amount, order: Some(order) };
        let payment = Payment { id, fact };
        let refund_id = Id::from_uuid(Uuid::from_u128(9));
        story.then(Command::Observe { payment, source: Source::Poll, refund_id });
        story
    }

    fn then(&mut self, command: Command) {
        let state = fold::<CollectionLife>(&self.events);
        self.events.extend(CollectionLife::decide(&state, command).unwrap());
    }

    /// A refund by staff is processed.
    fn refund(&mut self, number: u128, minor: i64) {
        let refund_id = Id::from_uuid(Uuid::from_u128(number));
        let amount = Some(Money::inr(minor).into());
        self.then(Command::RefundByStaff { amount, refund_id, least_minor: 100 });
        self.arrives(number);
    }

    fn arrives(&mut self, number: u128) {
        let refund_id = Id::from_uuid(Uuid::from_u128(number));
        let id = ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap();
        let update = RefundUpdate::Taken { id, progress: Progress::Processed };
        let rest_id = Id::from_uuid(Uuid::from_u128(number + 1));
        self.then(Command::LearnRefund { refund_id, update, rest_id });
    }

    /// The documents that are issued now, with what each refers to.
    fn papers(&mut self) -> Vec<(Paper, i64, String)> {
        let State::Open(known) = fold::<CollectionLife>(&self.events) else { panic!("open") };
        let new = issue(&known, &mut self.issued, self.settings);
        assert_eq!(issue(&known, &mut self.issued, self.settings), [], "once is enough");
        new.into_iter()
            .map(|due| {
                (due.paper, due.amount.minor, due.refers_to.map_or(String::new(), |it| it.serial))
            })
            .collect()
    }
}

fn paper(paper: Paper, minor: i64, refers_to: u8) -> (Paper, i64, String) {
    let refers_to = if refers_to == 0 { String::new() } else { format!("N/26-27/{refers_to:05}") };
    (paper, minor, refers_to)
}

#[test]
fn money_has_a_voucher_the_session_an_invoice_and_a_later_refund_a_credit_note() {
    let mut story = Story::paid((Extent::All, GST));
    assert_eq!(story.papers(), [paper(Paper::ReceiptVoucher, PRICE, 0)]);
    story.then(Command::Complete);
    assert_eq!(story.papers(), [paper(Paper::TaxInvoice, PRICE, 1)]);
    story.refund(20, 18_000);
    assert_eq!(story.papers(), [paper(Paper::CreditNote, 18_000, 2)]);
    story.refund(30, 100_000);
    assert_eq!(story.papers(), [paper(Paper::CreditNote, 100_000, 2)]);
}

#[test]
fn where_no_tax_is_due_the_invoice_is_a_bill_of_supply() {
    let mut story = Story::paid((Extent::All, Tax::None));
    story.then(Command::Complete);
    let papers = [paper(Paper::ReceiptVoucher, PRICE, 0), paper(Paper::BillOfSupply, PRICE, 1)];
    assert_eq!(story.papers(), papers);
}

#[test]
fn what_goes_back_before_the_session_has_a_refund_voucher_when_it_has_arrived() {
    let mut story = Story::paid((Extent::All, GST));
    story.papers();
    let refund_id = Id::from_uuid(Uuid::from_u128(20));
    let refund = Money::inr(PRICE / 2).into();
    story.then(Command::Cancel { refund, refund_id });
    // What is kept of a late cancellation is taxed as the session would have been.
    assert_eq!(story.papers(), [paper(Paper::TaxInvoice, PRICE / 2, 1)]);
    story.arrives(20);
    assert_eq!(story.papers(), [paper(Paper::RefundVoucher, PRICE / 2, 1)]);
    story.refund(30, 1_000);
    assert_eq!(story.papers(), [paper(Paper::CreditNote, 1_000, 2)]);
}

#[test]
fn papers_that_were_refused_for_days_are_the_same_in_the_end() {
    let mut story = Story::paid((Extent::All, GST));
    story.refund(20, 18_000);
    story.then(Command::Complete);
    story.refund(30, 1_000);
    let papers = [
        paper(Paper::ReceiptVoucher, PRICE, 0),
        paper(Paper::TaxInvoice, 100_000, 1),
        paper(Paper::RefundVoucher, 18_000, 1),
        paper(Paper::CreditNote, 1_000, 2),
    ];
    assert_eq!(story.papers(), papers);
}

#[test]
fn a_receipt_of_before_the_setting_is_followed_by_nothing() {
    let mut story = Story::paid((Extent::Receipt, GST));
    assert_eq!(story.papers(), [paper(Paper::Receipt, PRICE, 0)]);
    story.settings = (Extent::All, GST);
    story.then(Command::Complete);
    story.refund(20, 1_000);
    assert_eq!(story.papers(), []);
}

#[test]
fn tax_stays_what_it_was_when_the_money_came() {
    let mut story = Story::paid((Extent::All, GST));
    story.papers();
    story.settings = (Extent::All, Tax::Gst { percent: 5 });
    story.then(Command::Complete);
    assert_eq!(story.papers(), [paper(Paper::TaxInvoice, PRICE, 1)]);
    assert!(story.issued.iter().all(|it| it.tax == GST));
}

proptest! {
    #[test]
    fn no_paisa_is_in_two_papers_and_none_is_noted_that_was_not_invoiced(
        mut commands in prop::collection::vec(any_command(), 0..24),
        took_place in any::<bool>(),
        every in 1_usize..5,
    ) {
        // A session takes place or is cancelled, and never both.
        let other = |command: &Command| {
            let takes_place = matches!(command, Command::Complete);
            if took_place { matches!(command, Command::Cancel { .. }) } else { takes_place }
        };
        commands.retain(|command| !other(command));
        let mut issued = Vec::new();
        for (turn, state) in states(commands).iter().enumerate() {
            let State::Open(known) = state else { continue };
            if turn % every == 0 {
                issue(known, &mut issued, (Extent::All, GST));
            }
            let sum = |is_meant: &dyn Fn(Paper) -> bool| -> i64 {
                let amounts = issued.iter().filter(|it| is_meant(it.paper));
                amounts.map(|it| it.amount_minor).sum()
            };
            let came = sum(&|it| it == Paper::ReceiptVoucher);
            let invoiced = sum(&|it| it == Paper::TaxInvoice);
            let vouchers = sum(&|it| it == Paper::RefundVoucher);
            let noted = sum(&|it| it == Paper::CreditNote);
            prop_assert!(invoiced + vouchers <= came, "{issued:#?}");
            prop_assert!(noted <= invoiced, "{issued:#?}");
            let gone: i64 = known
                .refunds
                .values()
                .filter(|it| it.end == Some(crate::domain::refund::End::Processed))
                .map(|it| it.amount.minor)
                .sum();
            prop_assert!(vouchers + noted <= gone, "{issued:#?}");
        }
    }
}
