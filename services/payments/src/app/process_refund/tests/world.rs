//! A payment in a world of clients, banks, staff and a provider.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use kernel::id::Refund as RefundKind;
use kernel::{Decider, Id, Money};
use uuid::Uuid;

use super::super::{look, request_or_fetch};
use super::desk::{Desk, LEAST};
use crate::app::fold::refund_command;
use crate::domain::collection::{
    Collection, CollectionLife, Command, Event, Rejection, Rest, State, Terms,
};
use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};
use crate::domain::fact::{Amount, DisputeId, Fact, OrderId, Payment, PaymentId, Source, Status};
use crate::domain::ledger::{Account, Books, Entry};
use crate::domain::refund::{Cause, Progress};
use crate::domain::session_ends::{SessionEnd, SessionEnds};
use crate::providers::{ProviderRefund, RefundRequest};
use crate::read_model::query::RefundRow;

/// Three sessions of ₹300.
pub(super) const PRICE: i64 = 90_000;
pub(super) const SHARE: i64 = PRICE / 3;

pub(super) fn inr(minor: i64) -> Amount {
    Money::inr(minor).into()
}

pub(super) fn payment() -> PaymentId {
    PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap()
}

/// Something that happens to a payment.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// The bank disputes so much.
    Dispute(i64),
    /// An open dispute ends: won, or so much is taken, at most what is disputed.
    EndDispute(Option<i64>),
    /// The job of refunds runs. The provider's last answer may be lost, and its keys as well.
    Ask { is_answer_lost: bool, are_keys_lost: bool },
    /// A pending refund ends there, and it is reported or not.
    EndRefund { is_processed: bool, is_told: bool },
    /// The provider's refunds are fetched.
    Poll,
    /// Failed refunds are renewed.
    Renew,
    /// Staff give so much back, or all that is left.
    Staff(Option<i64>),
    /// Staff give so much back on the provider's own page.
    Elsewhere(i64),
    /// Staff release what waits for a dispute.
    Release,
    /// The booking is cancelled, and so much goes back.
    Cancel(i64),
    /// The next session of the package ends: held, or cancelled with so much back.
    EndSession(Option<i64>),
}

/// The payment, as we and as the provider know it.
pub(super) struct World {
    state: State,
    pub(super) events: Vec<Event>,
    pub(super) written: Vec<Entry>,
    pub(super) desk: Desk,
    /// Of each refund that failed, whether it was last told as final.
    pub(super) told: BTreeMap<Id<RefundKind>, bool>,
    disputes: Vec<DisputeFact>,
    pub(super) cancelled: Option<i64>,
    ends: SessionEnds,
    ended: i32,
    ids: u128,
}

impl World {
    pub(super) fn new() -> Self {
        let terms = Terms {
            collection_id: Id::from_uuid(Uuid::from_u128(1)),
            booking_id: Id::from_uuid(Uuid::from_u128(2)),
            customer_id: Id::from_uuid(Uuid::from_u128(3)),
            amount: Money::inr(PRICE),
        };
        let order = OrderId::parse("order_AAAAAAAAAAAAAA").unwrap();
        let fact =
            Fact { status: Status::Captured, amount: inr(PRICE), order: Some(order.clone()) };
        let mut world = Self {
            state: State::Absent,
            events: Vec::new(),
            written: Vec::new(),
            desk: Desk::default(),
            told: BTreeMap::new(),
            disputes: Vec::new(),
            cancelled: None,
            ends: SessionEnds::default(),
            ended: 0,
            ids: 100,
        };
        world.desk.book().captured = PRICE;
        world.then(Command::Open(terms)).unwrap();
        world.then(Command::RecordOrder { provider: "razorpay".to_owned(), order }).unwrap();
        let (payment, refund_id) = (Payment { id: payment(), fact }, world.new_id());
        world.then(Command::Observe { payment, source: Source::Poll, refund_id }).unwrap();
        world
    }

    pub(super) fn known(&self) -> &Collection {
        match &self.state {
            State::Open(known) => known,
            State::Absent => panic!("it is open"),
        }
    }

    fn new_id(&mut self) -> Id<RefundKind> {
        self.ids += 1;
        Id::from_uuid(Uuid::from_u128(self.ids))
    }

    fn then(&mut self, command: Command) -> Result<(), Rejection> {
        let events = CollectionLife::decide(&self.state, command)?;
        self.written.extend(Books::of(&self.events).enter(&events));
        for event in &events {
            self.state = CollectionLife::evolve(std::mem::take(&mut self.state), event);
        }
        for event in &events {
            if let Event::RefundFailed { refund_id, reason } = event {
                let told = self.known().failed_refund(*refund_id, reason);
                self.told.insert(*refund_id, told.is_some_and(|it| it.is_final));
            }
        }
        self.events.extend(events);
        Ok(())
    }

    /// What the bank has taken for good.
    pub(super) fn lost(&self) -> i64 {
        self.disputes.iter().map(DisputeFact::lost_minor).sum()
    }

    /// How much a bank can still take: it knows what went back and what is disputed.
    fn at_stake(&self) -> i64 {
        let open: i64 = self.disputes.iter().map(DisputeFact::in_question_minor).sum();
        PRICE - self.desk.book().gone() - self.lost() - open
    }

    fn tell_dispute(&mut self, number: usize) {
        let dispute = Dispute {
            provider: "razorpay".to_owned(),
            id: DisputeId::parse(&format!("disp_{number:014}")).unwrap(),
            payment: payment(),
            fact: self.disputes[number].clone(),
        };
        self.then(Command::ObserveDispute(dispute)).unwrap();
    }

    fn dispute(&mut self, minor: i64) {
        if minor > self.at_stake() {
            return;
        }
        self.disputes.push(DisputeFact {
            // The provider deducts nothing for it before its end.
            phase: Phase::Retrieval,
            state: DisputeState::Open,
            respond_by: None,
            deducted_minor: 0,
            amount: inr(minor),
            reason: String::new(),
        });
        self.tell_dispute(self.disputes.len() - 1);
    }

    fn end_dispute(&mut self, taken: Option<i64>) {
        let open = self.disputes.iter().position(|it| it.state.is_open());
        let Some(number) = open else { return };
        let disputed = self.disputes[number].amount.minor;
        // What has gone back since is not taken as well.
        let can_take = (self.at_stake() + disputed).min(disputed);
        let taken = taken.map_or(0, |taken| taken.min(can_take));
        self.disputes[number].deducted_minor = taken;
        self.disputes[number].state =
            if taken > 0 { DisputeState::Lost } else { DisputeState::Won };
        self.tell_dispute(number);
    }

    /// The job of each refund that is not accepted, as its timers run it.
    fn ask(&mut self, is_answer_lost: bool, are_keys_lost: bool) {
        if are_keys_lost {
            self.desk.book().keys.clear();
        }
        self.desk.book().loses_answer = is_answer_lost;
        let waiting = self.known().refunds.iter().filter(|(_, it)| it.is_unaccepted());
        let waiting: Vec<_> = waiting.map(|(id, _)| *id).collect();
        for refund_id in waiting {
            let id = payment();
            let found = look(&self.desk, &id).now_or_never().unwrap().unwrap();
            for refund in &found {
                self.fold(refund);
            }
            self.want();
            self.then(Command::PrepareRefund { refund_id, least_minor: LEAST }).unwrap();
            let refund = &self.known().refunds[&refund_id];
            if !refund.is_unaccepted() || self.known().is_held(refund_id) {
                continue;
            }
            let is_wanted_now = refund.cause == Cause::Staff
                || self.known().released_refunds().any(|(id, _)| id == refund_id);
            assert!(
                is_wanted_now || refund.amount.minor <= self.at_stake(),
                "the bank may take {refund:?} as well"
            );
            let row = RefundRow {
                booking_id: self.known().terms.booking_id,
                payment: payment(),
                amount: refund.amount.clone(),
                provider_refund: None,
                ended: false,
                traceparent: None,
            };
            let answer = request_or_fetch(&self.desk, refund_id, row, 0);
            let Ok(answer) = answer.now_or_never().unwrap() else { continue };
            for other in &answer.others {
                self.fold(other);
            }
            let rest_id = self.new_id();
            let learn = Command::LearnRefund { refund_id, update: answer.update, rest_id };
            self.then(learn).unwrap();
            self.want();
        }
    }

    fn fold(&mut self, refund: &ProviderRefund) {
        let ids = (self.new_id(), self.new_id());
        if let Some(command) = refund_command(self.known(), refund, ids) {
            self.then(command).unwrap();
        }
    }

    fn poll(&mut self) {
        let refunds = self.desk.book().refunds.clone();
        for refund in &refunds {
            self.fold(refund);
        }
        self.want();
    }

    fn end_refund(&mut self, is_processed: bool, is_told: bool) {
        let mut book = self.desk.book();
        let pending = book.refunds.iter_mut().find(|it| it.progress == Progress::Pending);
        let Some(refund) = pending else { return };
        refund.progress = if is_processed { Progress::Processed } else { Progress::Failed };
        let refund = refund.clone();
        drop(book);
        if is_told {
            self.fold(&refund);
            self.want();
        }
    }

    fn renew(&mut self) {
        let id = payment();
        let failed: Vec<_> = self.known().renewable(Some(&id)).collect();
        for failed in failed {
            self.then(Command::RenewRefund { failed }).unwrap();
        }
    }

    /// What booking wants of the money is applied again whenever something is learnt.
    fn want(&mut self) {
        let refund_id = self.new_id();
        if let Some(minor) = self.cancelled {
            self.then(Command::Cancel { refund: inr(minor), refund_id }).unwrap();
        } else if self.ended > 0 {
            let rest = (self.ended == 3).then_some(Rest::Earned);
            let ends = self.ends.clone();
            self.then(Command::SettleSessions { ends, rest, refund_id }).unwrap();
        }
    }

    fn release(&mut self) {
        let held = self.known().refunds.keys().find(|id| self.known().is_held(**id));
        let Some(refund_id) = held.copied() else { return };
        self.then(Command::ReleaseRefund { refund_id }).unwrap();
        assert!(!self.known().is_held(refund_id), "a released refund does not wait");
    }

    fn staff(&mut self, minor: Option<i64>) {
        let refund_id = self.new_id();
        let amount = minor.map(inr);
        let left = self.known().left(&payment());
        let asked = Command::RefundByStaff { amount, refund_id, least_minor: LEAST };
        let fits = minor.is_none_or(|it| it >= LEAST && (it == left || it + LEAST <= left));
        let fits = fits && minor.unwrap_or(left) >= LEAST;
        assert_eq!(self.then(asked).is_ok(), fits, "{minor:?} of {left}");
    }

    fn elsewhere(&mut self, minor: i64) {
        // The provider's page gives nothing back that a bank has taken or may take.
        if minor < LEAST || minor > self.at_stake() {
            return;
        }
        let wanted = RefundRequest {
            refund_id: self.new_id(),
            payment: payment(),
            amount: inr(minor),
            refusals: 0,
        };
        let number = self.desk.book().add(&wanted, None);
        let made = self.desk.book().refunds[number].clone();
        self.fold(&made);
        self.want();
    }

    /// The provider makes its first refund twice.
    pub(super) fn doubles_the_first_refund(&self) {
        let mut book = self.desk.book();
        let first = book.refunds[0].clone();
        let wanted = RefundRequest {
            refund_id: first.refund_id.unwrap(),
            payment: payment(),
            amount: first.amount,
            refusals: 0,
        };
        book.add(&wanted, first.refund_id);
    }

    pub(super) fn go(&mut self, step: Step) {
        match step {
            Step::Dispute(minor) => self.dispute(minor),
            Step::EndDispute(taken) => self.end_dispute(taken),
            Step::Ask { is_answer_lost, are_keys_lost } => self.ask(is_answer_lost, are_keys_lost),
            Step::EndRefund { is_processed, is_told } => self.end_refund(is_processed, is_told),
            Step::Poll => self.poll(),
            Step::Renew => self.renew(),
            Step::Staff(minor) => self.staff(minor),
            Step::Elsewhere(minor) => self.elsewhere(minor),
            Step::Release => self.release(),
            Step::Cancel(minor) if self.ended == 0 => {
                self.cancelled.get_or_insert(minor);
                self.want();
            }
            Step::EndSession(refund_minor) if self.cancelled.is_none() && self.ended < 3 => {
                self.ended += 1;
                let end = SessionEnd { share_minor: SHARE, refund_minor };
                self.ends = std::mem::take(&mut self.ends).with(self.ended, end);
                self.want();
            }
            Step::Cancel(_) | Step::EndSession(_) => {}
        }
    }

    /// Everything that is under way comes to its end.
    pub(super) fn settle_down(&mut self) {
        for _ in 0..6 {
            self.poll();
            self.renew();
            self.ask(false, true);
            while self.desk.book().refunds.iter().any(|it| it.progress == Progress::Pending) {
                self.end_refund(true, true);
            }
        }
    }

    pub(super) fn sums(&self) -> BTreeMap<Account, i64> {
        let mut sums = BTreeMap::new();
        for line in Books::default().enter(&self.events).iter().flat_map(|it| &it.lines) {
            *sums.entry(line.account).or_default() += line.amount.minor;
        }
        sums
    }
}
