//! The collection of one booking's money: its order and its payment links, the payments seen on
//! them, and what goes back. Money counts only when it is captured and amount, currency and order
//! match; all else is returned.

mod model;
mod balances;
mod evolve;
mod links;
mod decisions;
mod effects;
mod desk;
mod disputes;
mod sessions;

use kernel::Decider;

pub use self::effects::{Effect, effects};
use self::evolve::apply;
pub use self::model::{
    Collection, Command, Event, FailedRefund, LinkChange, Rejection, Rest, Standing, State, Terms,
};
pub use super::mismatch::Mismatch;

/// The life of a collection.
#[derive(Debug, Clone, Copy)]
pub enum CollectionLife {}

impl Decider for CollectionLife {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        match (state, command) {
            (State::Absent, Command::Open(terms)) => decisions::open(terms),
            (State::Open(known), command) => decide(known, command),
            (
                State::Absent,
                Command::RecordOrder { .. }
                | Command::OpenLink { .. }
                | Command::RecordLink { .. }
                | Command::WithdrawLinks { .. }
                | Command::ObserveLink { .. }
                | Command::RecordAbsentLink { .. }
                | Command::Claim
                | Command::Observe { .. }
                | Command::PayAtDesk { .. }
                | Command::GiveBackAtDesk { .. }
                | Command::ResolveUndecided { .. }
                | Command::ObserveDispute(_)
                | Command::Unplace { .. }
                | Command::Cancel { .. }
                | Command::Complete
                | Command::SettleSessions { .. }
                | Command::RefundByStaff { .. }
                | Command::PrepareRefund { .. }
                | Command::ReleaseRefund { .. }
                | Command::LearnRefund { .. }
                | Command::DiscoverRefund { .. }
                | Command::RenewRefund { .. },
            ) => Err(Rejection::NotOpened),
        }
    }

    fn evolve(state: State, event: &Event) -> State {
        match (state, event) {
            (State::Absent, Event::Opened(terms)) => State::Open(Box::new(Collection::new(*terms))),
            (State::Open(mut known), event) => {
                apply(&mut known, event);
                State::Open(known)
            }
            // Nothing happens to a collection before it was opened.
            (State::Absent, _) => State::Absent,
        }
    }
}

fn decide(known: &Collection, command: Command) -> Result<Vec<Event>, Rejection> {
    match command {
        Command::Open(terms) => decisions::reopen(known, &terms),
        Command::RecordOrder { provider, order } => decisions::record_order(known, provider, order),
        Command::OpenLink { link_id, expires_at, now } => {
            links::open_link(known, link_id, expires_at, now)
        }
        Command::RecordLink { provider, link_id, created } => {
            links::record_link(known, provider, link_id, created)
        }
        Command::WithdrawLinks { why } => Ok(links::withdraw_links(known, why)),
        Command::ObserveLink { link_id, fact, source } => {
            links::observe_link(known, link_id, fact, source)
        }
        Command::RecordAbsentLink { link_id } => links::record_absent_link(known, link_id),
        Command::Claim => Ok(decisions::claim(known)),
        Command::Observe { payment, source, refund_id } => {
            Ok(decisions::observe(known, payment, source, refund_id))
        }
        Command::PayAtDesk { payment, amount, handover } => {
            desk::take_payment(known, &payment, amount, handover)
        }
        Command::GiveBackAtDesk { amount, handover } => desk::give_back(known, &amount, &handover),
        Command::ResolveUndecided { orders, are_links_known, refund_ids } => {
            Ok(decisions::resolve_undecided(known, &orders, are_links_known, &refund_ids))
        }
        Command::ObserveDispute(dispute) => Ok(disputes::observe_dispute(known, dispute)),
        Command::Unplace { payment, refund_id } => decisions::unplace(known, payment, refund_id),
        Command::Cancel { refund, refund_id } => Ok(decisions::cancel(known, &refund, refund_id)),
        Command::Complete => Ok(decisions::complete(known)),
        Command::SettleSessions { ends, rest, refund_id } => {
            Ok(sessions::settle(known, &ends, rest, refund_id))
        }
        Command::RefundByStaff { amount, refund_id, least_minor } => {
            decisions::refund_by_staff(known, amount, refund_id, least_minor)
        }
        Command::PrepareRefund { refund_id, least_minor } => {
            decisions::prepare_refund(known, refund_id, least_minor)
        }
        Command::ReleaseRefund { refund_id } => decisions::release_refund(known, refund_id),
        Command::LearnRefund { refund_id, update, rest_id } => {
            decisions::learn_refund(known, refund_id, update, rest_id)
        }
        Command::DiscoverRefund { found, refund_id, rest_id } => {
            decisions::discover(known, found, refund_id, rest_id)
        }
        Command::RenewRefund { failed } => decisions::renew_refund(known, failed),
    }
}

#[cfg(test)]
mod tests;
