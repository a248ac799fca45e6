//! Clients and the practice's staff: their plans, their steps, and how often they retry.

mod moves;
mod plan;

use booking::domain::booking::{CancelledBy, RefundChoice, State};
use kernel::id::{Block, Booking};
use kernel::{Id, Timestamp};
use payments::app::fold::PollDirective;
use payments::domain::desk::Way as DeskWay;

use super::coverage::{End, Fault};
use super::scenario::{Pay, Place, Step, Way, When};
use super::service::{Error, Service};
use super::world::{Task, World};
use checker::snapshot::Ack;

/// How often a caller retries without an answer.
const TRIES_MAX: u32 = 6;

impl World {
    /// A customer or the staff does the next thing.
    pub(crate) fn step(&mut self, saga: usize, step: Step) {
        self.trace.note(self.now, "step", &format_args!("{saga} {step:?}"));
        if let Step::Block { tries } = step {
            return self.block(saga, tries);
        }
        if let Step::Unblock { block_id, tries } = step {
            return self.unblock(saga, block_id, tries);
        }
        let Some(known) = self.scenario.sagas.get(saga) else { return };
        let booking = known.booking;
        match (step, booking) {
            (Step::Request { tries }, _) => self.request(saga, tries),
            (_, None) => {}
            (Step::Start { tries }, Some(id)) => self.start(saga, id, tries),
            (Step::Ordered(order), Some(_)) => self.started(saga, order.map(Place::Order)),
            (Step::Linked(link), Some(_)) => self.started(saga, link.map(Place::Link)),
            (Step::Open { tries }, Some(id)) => self.open(saga, id, tries),
            (Step::Pay(pay), Some(id)) => self.pay_now(saga, id, pay),
            (Step::Check, Some(id)) => self.poll_provider(id, PollDirective::Keep),
            (Step::Release { tries }, Some(id)) => {
                let again = Step::Release { tries: tries + 1 };
                self.ask(
                    saga,
                    (tries, again),
                    |world| world.release_booking(id),
                    Ack::Released(id),
                );
            }
            (Step::Claim { tries }, Some(id)) => {
                let again = Step::Claim { tries: tries + 1 };
                self.ask(saga, (tries, again), |world| world.claim_payment(id), Ack::Claimed(id));
            }
            (Step::Cancel { session, tries }, Some(id)) => {
                self.cancel(saga, (id, session), tries);
            }
            (Step::UndoCancel { tries }, Some(id)) => self.undo(saga, id, tries),
            (Step::Move { number, seen, hours, tries }, Some(id)) => {
                self.relocate(saga, (id, number), (seen, hours), tries);
            }
            (Step::Propose { number, seen, tries }, Some(id)) => {
                self.propose(saga, (id, number), seen, tries);
            }
            (Step::Withdraw { tries }, Some(id)) => self.withdraw(saga, id, tries),
            (Step::AcceptClaim { tries }, Some(id)) => {
                let again = Step::AcceptClaim { tries: tries + 1 };
                let ack = Ack::ClaimAccepted(id);
                self.ask(saga, (tries, again), |world| world.accept_claim(id), ack);
            }
            (Step::PayAtDesk { way, tries }, Some(id)) => self.desk(saga, id, (way, tries)),
            (Step::GiveBack { way, tries }, Some(id)) => self.give_back(saga, id, (way, tries)),
            (Step::Refund { tries }, Some(id)) => self.refund(saga, id, tries),
            (Step::ReleaseRefund { tries }, Some(id)) => self.let_go(saga, id, tries),
            (Step::Block { .. } | Step::Unblock { .. }, Some(_)) => {}
        }
    }

    /// Asks a service for something that can be asked again. Requests and answers get lost.
    fn ask(
        &mut self,
        saga: usize,
        (tries, again): (u32, Step),
        call: impl FnOnce(&mut Self) -> Result<(), Error>,
        ack: Ack,
    ) {
        match self.call(call) {
            Ok(()) => self.acks.push(ack),
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Refused(_)) => {}
            Err(Error::Unavailable | Error::Died) => self.try_again(saga, tries, again),
        }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.fault(Fault::RequestLost, 15) {
            return Err(Error::Unavailable);
        }
        let done = call(self)?;
        if self.fault(Fault::AnswerLost, 15) {
            return Err(Error::Unavailable);
        }
        Ok(done)
    }

    fn try_again(&mut self, saga: usize, tries: u32, step: Step) {
        if tries < TRIES_MAX {
            let pause = self.rng.between(500, 6_000);
            self.after(pause, Task::Customer { saga, step });
        }
    }

    fn later(&mut self, saga: usize, (least, most): (i64, i64), step: Step) {
        let pause = self.rng.between(least * 1000, most * 1000);
        self.after(pause, Task::Customer { saga, step });
    }

    fn request(&mut self, saga: usize, tries: u32) {
        let Some(slot_request) =
            self.scenario.sagas.get(saga).map(|known| known.slot_request.clone())
        else {
            return;
        };
        if tries == 0 && self.fault(Fault::RequestRepeated, 80) {
            // The same click arrives twice, with one key.
            self.later(saga, (0, 1), Step::Request { tries: 1 });
        }
        match self.call(|world| world.request_booking(&slot_request)) {
            Ok(id) => {
                self.acks.push(Ack::Requested(id));
                let known = self.scenario.sagas.get_mut(saga);
                let first = known.is_some_and(|known| known.booking.replace(id).is_none());
                if first {
                    self.begin(saga, id);
                }
            }
            Err(Error::Refused(why)) if why == "SlotTaken" => self.coverage.end(End::SlotTaken),
            Err(Error::Refused(why)) if why == "FreeSessionUsed" => {
                self.coverage.end(End::FreeSessionUsed);
            }
            Err(Error::Refused(why)) if why == "OverlapsOwnSession" => {
                self.coverage.end(End::OverlapsOwnSession);
            }
            Err(Error::Refused(why)) if why == "TooManyHolds" => {
                self.coverage.end(End::TooManyHolds);
            }
            Err(Error::Refused(_)) => {}
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Unavailable | Error::Died) => {
                self.try_again(saga, tries, Step::Request { tries: tries + 1 });
            }
        }
    }

    /// The time is held: what the customer does now follows the plan.
    fn begin(&mut self, saga: usize, id: Id<Booking>) {
        self.trace.note(self.now, "holds", &format_args!("{saga} {id}"));
        let Some(plan) = self.scenario.sagas.get(saga).map(|known| known.plan.clone()) else {
            return;
        };
        if plan.releases() {
            self.later(saga, (5, 800), Step::Release { tries: 0 });
        }
        if plan.starts() {
            self.later(saga, (2, 120), Step::Start { tries: 0 });
        }
        self.plan_moves(saga);
        for (seconds, session) in plan.cancels_after {
            self.later(saga, (seconds, seconds), Step::Cancel { session, tries: 0 });
        }
        if let Some((seconds, way)) = plan.desk_after {
            self.later(saga, (seconds, seconds), Step::PayAtDesk { way, tries: 0 });
        }
        for (seconds, way) in plan.gives_back_after {
            self.later(saga, (seconds, seconds), Step::GiveBack { way, tries: 0 });
        }
        for seconds in plan.lets_go_after {
            self.later(saga, (seconds, seconds), Step::ReleaseRefund { tries: 0 });
        }
        for seconds in plan.refunds_after {
            self.later(saga, (seconds, seconds), Step::Refund { tries: 0 });
        }
    }

    fn start(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        let Some(known) = self.scenario.sagas.get_mut(saga) else { return };
        known.starts = tries;
        let customer_id = known.slot_request.customer_id;
        let Some(way) = known.plan.ways.get(known.places.len()).copied() else { return };
        let asked = self.call(|world| match way {
            Way::Checkout => Ok(world.start_payment(saga, customer_id, id)?.map(Place::Order)),
            Way::Link => Ok(world.start_link(saga, customer_id, id)?.map(Place::Link)),
        });
        match asked {
            // An answer that comes later is another step.
            Ok(None) | Err(Error::Refused(_)) => {}
            Ok(Some(place)) => self.started(saga, Some(place)),
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Unavailable | Error::Died) => {
                self.try_again(saga, tries, Step::Start { tries: tries + 1 });
            }
        }
    }

    /// The customer can pay there, or turns to the next way of paying.
    fn started(&mut self, saga: usize, place: Option<Place>) {
        let Some(known) = self.scenario.sagas.get_mut(saga) else { return };
        let starts = known.starts;
        let (Some(place), Some(booking_id)) = (place, known.booking) else {
            return self.try_again(saga, starts, Step::Start { tries: starts + 1 });
        };
        self.acks.push(match &place {
            Place::Order(order) => Ack::OrderStarted { booking_id, order_id: order.to_string() },
            Place::Link(link) => Ack::LinkStarted { booking_id, link_id: link.to_string() },
        });
        let Some(known) = self.scenario.sagas.get_mut(saga) else { return };
        if known.places.contains(&place) || known.places.len() >= known.plan.ways.len() {
            return;
        }
        known.places.push(place);
        if known.places.len() < known.plan.ways.len() {
            self.later(saga, (5, 90), Step::Start { tries: 0 });
        } else {
            self.later(saga, (1, 20), Step::Open { tries: 0 });
        }
    }

    /// Presses Pay: the hold is extended, and the provider's window opens regardless of the result.
    fn open(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        let opened = self.call(|world| world.open_checkout(id));
        match opened {
            Ok(()) => self.acks.push(Ack::CheckoutOpened(id)),
            Err(Error::Broken(why)) => return self.broken.push(why),
            Err(Error::Unavailable | Error::Died) if tries < TRIES_MAX => {
                return self.try_again(saga, tries, Step::Open { tries: tries + 1 });
            }
            Err(_) => {}
        }
        let Some(plan) = self.scenario.sagas.get(saga).map(|known| known.plan.clone()) else {
            return;
        };
        for pay in plan.pays.clone() {
            let at = self.time_to_pay(id, pay.when);
            self.at(at, Task::Customer { saga, step: Step::Pay(pay) });
        }
        if plan.claims() {
            self.later(saga, (20, 1_500), Step::Claim { tries: 0 });
        }
        if plan.claims() && plan.is_claim_accepted {
            self.later(saga, (200, 9_000), Step::AcceptClaim { tries: 0 });
        }
    }

    fn time_to_pay(&mut self, id: Id<Booking>, when: When) -> Timestamp {
        let until = self.booking.tables.states.get(&id).and_then(State::held_until);
        let until = until.unwrap_or(self.now);
        match when {
            When::Soon => {
                let seconds = self.rng.between(3, 240);
                self.now.plus_seconds(seconds)
            }
            When::AtTheEnd => {
                self.coverage.fault(Fault::HoldEndRace);
                let seconds = self.rng.between(-9, 3);
                until.plus_seconds(seconds)
            }
            When::After(seconds) => {
                self.coverage.fault(Fault::PaidAfterHold);
                until.plus_seconds(seconds)
            }
        }
    }

    fn pay_now(&mut self, saga: usize, id: Id<Booking>, pay: Pay) {
        let Some(known) = self.scenario.sagas.get(saga) else { return };
        let (stays, places) = (known.plan.stays, known.places.clone());
        // Another window may still show the way of before.
        let is_old = places.len() > 1 && self.rng.chance(300);
        let place = if is_old { places.first() } else { places.last() };
        let Some(place) = place else { return };
        let paid = match place {
            Place::Order(order) => self.pay(order, pay.course, pay.oddity),
            Place::Link(link) => self.pay_link(link, pay.course, pay.oddity),
        };
        if stays {
            self.later(saga, (4, 40), Step::Check);
            if let (Some(payment), Place::Order(_)) = (paid, place) {
                // The checkout's answer comes at once, the money a little later.
                self.submit_answer(id, &payment);
            }
        }
    }

    fn cancel(&mut self, saga: usize, (id, session): (Id<Booking>, Option<usize>), tries: u32) {
        let Some(how) = self.scenario.sagas.get(saga).map(|known| known.plan.cancels_how) else {
            return;
        };
        let again = Step::Cancel { session, tries: tries + 1 };
        // Half of what clients wish is their own act, and a third of that is taken back.
        if how == (CancelledBy::Customer, RefundChoice::ByPolicy) && saga.is_multiple_of(2) {
            if tries == 0 && saga.is_multiple_of(6) {
                self.later(saga, (5, 300), Step::UndoCancel { tries: 0 });
            }
            let cancelled = self.call(|world| world.cancel_own_booking((id, session)));
            return self.without_ack(saga, (tries, again), cancelled);
        }
        let ack = Ack::Cancelled(id);
        let cancel = |world: &mut Self| world.cancel_booking((id, session), how);
        self.ask(saga, (tries, again), cancel, ack);
    }

    fn undo(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        let undone = self.call(|world| world.undo_cancellation(id));
        self.without_ack(saga, (tries, Step::UndoCancel { tries: tries + 1 }), undone);
    }

    /// What was answered is asked for again only where no answer came.
    fn without_ack(&mut self, saga: usize, (tries, again): (u32, Step), done: Result<(), Error>) {
        match done {
            Ok(()) | Err(Error::Refused(_)) => {}
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Unavailable | Error::Died) => self.try_again(saga, tries, again),
        }
    }

    fn refund(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        let price = self.booking.tables.rows.get(&id).map_or(0, |row| row.row.price_minor);
        let amounts = [
            (400, None),
            (300, Some(10_000)),
            (140, price.checked_div(3)),
            // What is left then, or this, is below the provider's least.
            (80, price.checked_sub(50)),
            (80, Some(50)),
        ];
        let minor = self.rng.weighted(&amounts, None);
        match self.call(|world| world.refund_payment(id, minor)) {
            Ok(refund_id) => self.acks.push(Ack::RefundRequested(refund_id)),
            Err(Error::Broken(why)) => self.broken.push(why),
            // Without an idempotency key a repeat would be another refund, so there is no retry.
            Err(Error::Unavailable | Error::Died | Error::Refused(_)) => {
                self.trace.note(self.now, "no refund", &format_args!("{saga} {tries}"));
            }
        }
    }

    /// Staff take the price at the desk; without an answer they say it again.
    fn desk(&mut self, saga: usize, id: Id<Booking>, (way, tries): (DeskWay, u32)) {
        let paid = self.call(|world| world.pay_at_desk(id, way));
        self.without_ack(saga, (tries, Step::PayAtDesk { way, tries: tries + 1 }), paid);
    }

    fn give_back(&mut self, saga: usize, id: Id<Booking>, (way, tries): (DeskWay, u32)) {
        match self.call(|world| world.give_back_at_desk(id, way)) {
            Ok(_) | Err(Error::Refused(_)) => {}
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Unavailable | Error::Died) => {
                self.try_again(saga, tries, Step::GiveBack { way, tries: tries + 1 });
            }
        }
    }

    fn let_go(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        match self.call(|world| world.release_refund(id)) {
            Ok(true) => self.coverage.end(End::RefundReleased),
            Ok(false) | Err(Error::Refused(_)) => {}
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(Error::Unavailable | Error::Died) => {
                self.try_again(saga, tries, Step::ReleaseRefund { tries: tries + 1 });
            }
        }
    }

    fn block(&mut self, number: usize, tries: u32) {
        let Some(closed) = self.scenario.blocks.get(number).copied() else { return };
        if !self.is_up(Service::Booking) {
            return self.try_again(number, tries, Step::Block { tries: tries + 1 });
        }
        if let Ok(block_id) = self.call(|world| world.block_time(&closed)) {
            self.acks.push(Ack::Blocked(block_id));
            if self.rng.chance(600) {
                self.later(number, (60, 90_000), Step::Unblock { block_id, tries: 0 });
            }
        }
    }

    fn unblock(&mut self, number: usize, block_id: Id<Block>, tries: u32) {
        let Some(closed) = self.scenario.blocks.get(number).copied() else { return };
        let again = Step::Unblock { block_id, tries: tries + 1 };
        let ack = Ack::Unblocked(block_id);
        self.ask(number, (tries, again), |world| world.unblock_time(block_id, &closed), ack);
    }
}
