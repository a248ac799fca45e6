//! Bookings that staff make by phone: adopted once, with a page to pay on while they are held.

use kernel::id::Customer;
use kernel::{Decider as _, Id, fold};
use uuid::Uuid;

use super::{at, check, facts_at, meeting, open, opened, paid};
use crate::domain::booking::{BookingLife, Command, Event, Facts, Origin, Rejection};

/// A day, as long as such a time is held.
const DAY: i64 = 24 * 60;

fn by_phone() -> Event {
    let facts = Facts { origin: Origin::Phone, ..facts_at(3 * DAY) };
    Event::Requested { facts, until: at(DAY) }
}

fn account(number: u128) -> Id<Customer> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn adopt(number: u128) -> Command {
    Command::Adopt { customer_id: account(number) }
}

fn adopted(number: u128) -> Event {
    Event::Adopted { customer_id: account(number) }
}

#[test]
fn it_is_adopted_once_in_every_state() {
    let histories: [&[Event]; 6] = [
        &[by_phone()],
        &[by_phone(), opened(DAY)],
        &[by_phone(), paid(false)],
        &[by_phone(), paid(false), Event::MeetingScheduled { meeting: meeting() }],
        &[by_phone(), Event::Expired],
        &[by_phone(), paid(false), Event::Completed],
    ];
    for given in histories {
        check(given, adopt(8), Ok(&[adopted(8)]));
        let mut given = given.to_vec();
        given.push(adopted(8));
        check(&given, adopt(8), Ok(&[]));
        check(&given, adopt(9), Ok(&[]));
        let facts = fold::<BookingLife>(&given).facts().cloned().unwrap();
        assert_eq!((facts.customer_id, facts.origin), (account(8), Origin::AdoptedPhone));
        assert!(facts.is_by_phone());
    }
    check(&[], adopt(8), Err(Rejection::Absent));
}

#[test]
fn what_an_account_asked_for_is_not_adopted() {
    check(&[super::requested()], adopt(8), Ok(&[]));
    check(&[super::requested(), paid(false)], adopt(8), Ok(&[]));
}

/// A repeat has a number of its own and is another mail, so nothing is decided twice here.
#[test]
fn its_page_is_mailed_while_it_is_held() {
    let decide = |given: &[Event], number, now| {
        let request = Command::RequestPage { number, now: at(now) };
        BookingLife::decide(&fold::<BookingLife>(given), request)
    };
    let requested = |number| Event::PageRequested { number, renewed: false };
    assert_eq!(decide(&[by_phone()], 2, 5), Ok(vec![requested(2)]));
    assert_eq!(decide(&[by_phone(), requested(2)], 3, 5), Ok(vec![requested(3)]));
    assert_eq!(decide(&[by_phone(), adopted(8)], 3, 5), Ok(vec![requested(3)]));
    assert_eq!(decide(&[by_phone()], 2, DAY), Err(Rejection::HoldEnded));
    assert_eq!(decide(&[by_phone(), paid(false)], 3, 5), Err(Rejection::HoldEnded));
    assert_eq!(decide(&[super::requested()], 2, 5), Err(Rejection::NotByPhone));
    assert_eq!(decide(&[], 1, 5), Err(Rejection::Absent));
}

/// A repeat has a number of its own here as well.
#[test]
fn its_page_is_renewed_until_an_account_owns_it() {
    let decide = |given: &[Event]| {
        BookingLife::decide(&fold::<BookingLife>(given), Command::RenewPage { number: 7 })
    };
    let histories: [&[Event]; 4] = [
        &[by_phone()],
        &[by_phone(), paid(false)],
        &[by_phone(), Event::Expired],
        &[by_phone(), paid(false), Event::Completed],
    ];
    for given in histories {
        assert_eq!(decide(given), Ok(vec![Event::PageRequested { number: 7, renewed: true }]));
        let mut given = given.to_vec();
        given.push(adopted(8));
        assert_eq!(decide(&given), Err(Rejection::NotByPhone));
    }
    assert_eq!(decide(&[super::requested()]), Err(Rejection::NotByPhone));
    assert_eq!(decide(&[]), Err(Rejection::Absent));
}

#[test]
fn opening_the_checkout_never_shortens_its_hold() {
    // A quarter of an hour is added once, up to the session's start.
    check(&[by_phone()], open(5), Ok(&[opened(DAY + 15)]));
    let facts = Facts { origin: Origin::Phone, ..facts_at(DAY) };
    let until_start = Event::Requested { facts, until: at(DAY) };
    check(&[until_start], open(5), Ok(&[opened(DAY)]));
}

#[test]
fn staff_take_it_back_until_it_is_paid() {
    check(&[by_phone()], Command::TakeBack, Ok(&[Event::Released]));
    check(&[by_phone(), adopted(8)], Command::TakeBack, Ok(&[Event::Released]));
    check(&[by_phone(), opened(DAY)], Command::TakeBack, Ok(&[Event::Released]));
    check(&[by_phone(), Event::Expired], Command::TakeBack, Ok(&[]));
    let history = [by_phone(), opened(DAY), Event::Released];
    assert_eq!(fold::<BookingLife>(&history).held_until(), None);
    check(&[by_phone(), paid(false)], Command::TakeBack, Err(Rejection::HoldEnded));
    check(&[super::requested()], Command::TakeBack, Err(Rejection::NotByPhone));
    check(&[], Command::TakeBack, Err(Rejection::Absent));
}
