//! What costs nothing: confirmed at once, and no money belongs to it.

use kernel::Money;

use super::{FREE, accept, at, cancel, cancelled, check, claim, free_facts, meeting, open, verify};
use crate::domain::booking::{
    CancelledBy, Command, ConfirmationBasis, Event, Facts, RefundChoice, Rejection,
};

fn given_free() -> Vec<Event> {
    let confirmed = Event::Confirmed { basis: ConfirmationBasis::Free, reinstated: false };
    vec![Event::Requested { facts: free_facts(), until: at(15) }, confirmed]
}

#[test]
fn what_costs_nothing_is_confirmed_at_once() {
    let request = Command::Request { facts: free_facts(), until: at(15) };
    check(&[], request.clone(), Ok(&given_free()));
    check(&given_free(), request, Ok(&[]));
    let other = Facts { price: Money::inr(1), ..free_facts() };
    let priced = Command::Request { facts: other.clone(), until: at(15) };
    check(&given_free(), priced.clone(), Err(Rejection::Exists));
    check(&[], priced, Ok(&[Event::Requested { facts: other, until: at(15) }]));
}

#[test]
fn no_money_belongs_to_what_costs_nothing() {
    check(&given_free(), verify(5, FREE), Ok(&[]));
    check(&given_free(), open(5), Ok(&[]));
    check(&given_free(), claim(5), Ok(&[]));
    check(&given_free(), accept(5, true), Ok(&[]));
    check(&given_free(), Command::Release, Err(Rejection::CheckoutOpened));
    check(&given_free(), Command::Expire { now: at(20) }, Ok(&[]));
    let cancel = cancel(CancelledBy::Practice, RefundChoice::ByPolicy, 30);
    check(&given_free(), cancel, Ok(&[cancelled(CancelledBy::Practice, 0)]));
    let meeting = Command::ScheduleMeeting { meeting: meeting() };
    check(&given_free(), meeting, Ok(&[Event::MeetingScheduled { meeting: self::meeting() }]));
    check(&given_free(), Command::Complete { now: at(660) }, Ok(&[Event::Completed]));
}
