//! Given-when-then tests of a booking's lifecycle, and properties of every history.

mod attendance;
mod cancelled_claims;
mod effects;
mod free;
mod moving;
mod own_cancellation;
mod packages;
mod phone;
mod proposals;

use kernel::{CancellationPolicy, Decider, Id, Money, Timestamp, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    BookingLife, Cancellation, CancelledBy, Command, ConfirmationBasis, Event, Facts, MeetingId,
    Mode, Origin, PaymentId, PlacementCheck, RefundChoice, Rejection, State,
};
use crate::domain::span::Span;

/// Minutes after the request.
fn at(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_400_000).unwrap().plus_minutes(minutes)
}

/// A session of an hour, starting so many minutes after the request.
pub(super) fn facts_at(start: i64) -> Facts {
    Facts {
        booking_id: Id::from_uuid(Uuid::from_u128(1)),
        customer_id: Id::from_uuid(Uuid::from_u128(2)),
        service_id: "meditation".to_owned(),
        service_title: "Meditation".to_owned(),
        price: Money::inr(50_000),
        package: None,
        sessions: vec![Span::new(at(start), at(start + 60)).unwrap()],
        practitioner_id: "lead".to_owned(),
        mode: Mode::Online,
        origin: Origin::Account,
        policy: None,
    }
}

/// All of the price until a day before the start, and nothing later.
fn a_day() -> CancellationPolicy {
    CancellationPolicy::all_or_nothing(String::new(), 24)
}

fn requested_for(start: i64) -> Event {
    Event::Requested { facts: facts_at(start), until: at(15) }
}

fn requested() -> Event {
    requested_for(600)
}

fn opened(until: i64) -> Event {
    Event::CheckoutOpened { until: at(until) }
}

fn paid(reinstated: bool) -> Event {
    Event::Confirmed { basis: ConfirmationBasis::Payment(payment()), reinstated }
}

fn on_claim(reinstated: bool) -> Event {
    Event::Confirmed { basis: ConfirmationBasis::Claim, reinstated }
}

fn payment() -> PaymentId {
    PaymentId("pay_1".to_owned())
}

fn unplaced() -> Event {
    Event::Unplaced { payment: payment() }
}

fn meeting() -> MeetingId {
    MeetingId("room".to_owned())
}

fn open(now: i64) -> Command {
    Command::OpenCheckout { grow_minutes: 15, now: at(now) }
}

fn claim(now: i64) -> Command {
    Command::ClaimPayment { grow_minutes: 15, accept: None, now: at(now) }
}

fn claim_and_accept(now: i64, placement: PlacementCheck) -> Command {
    Command::ClaimPayment { grow_minutes: 15, accept: Some(placement), now: at(now) }
}

fn accept(now: i64, free: bool) -> Command {
    Command::AcceptClaim { claimed: true, free, now: at(now) }
}

fn cancel(by: CancelledBy, refund: RefundChoice, now: i64) -> Command {
    let cancellation =
        Cancellation { by, refund, session: None, unwritten: a_day(), grace_left: 0 };
    Command::Cancel { cancellation, now: at(now) }
}

fn cancelled(by: CancelledBy, minor: i64) -> Event {
    Event::Cancelled { by, refund: Money::inr(minor), unpaid: false, by_grace: false }
}

/// The same without a verified payment.
fn unpaid(by: CancelledBy, minor: i64) -> Event {
    Event::Cancelled { by, refund: Money::inr(minor), unpaid: true, by_grace: false }
}

/// A consultation that costs nothing.
fn free_facts() -> Facts {
    Facts { price: Money::inr(0), ..facts_at(600) }
}

const FREE: PlacementCheck = PlacementCheck { free: true, replaced: false, offered: true };
const GONE: PlacementCheck = PlacementCheck { free: false, replaced: false, offered: true };
const REPLACED: PlacementCheck = PlacementCheck { free: true, replaced: true, offered: true };
const CLOSED: PlacementCheck = PlacementCheck { free: true, replaced: false, offered: false };

fn verify(now: i64, placement: PlacementCheck) -> Command {
    Command::VerifyPayment { payment: payment(), placement, now: at(now) }
}

#[track_caller]
fn check(given: &[Event], when: Command, then: Result<&[Event], Rejection>) {
    let state = fold::<BookingLife>(given);
    let decided = BookingLife::decide(&state, when.clone());
    assert_eq!(decided.as_deref().map_err(|rejection| *rejection), then);
    if let Ok(events) = decided {
        let after = events.iter().fold(state, BookingLife::evolve);
        assert_eq!(BookingLife::decide(&after, when), Ok(Vec::new()), "a repeat");
    }
}

#[test]
fn a_booking_is_requested_once() {
    let request = Command::Request { facts: facts_at(600), until: at(15) };
    check(&[], request.clone(), Ok(&[requested()]));
    check(&[requested_for(900)], request, Err(Rejection::Exists));
}

#[test]
fn opening_checkout_extends_the_hold_once() {
    check(&[requested()], open(3), Ok(&[opened(30)]));
    check(&[requested(), opened(30)], open(20), Ok(&[]));
    check(&[requested(), opened(30)], claim(20), Ok(&[]));
    check(&[requested()], claim(3), Ok(&[opened(30)]));
}

#[test]
fn a_hold_does_not_reach_into_its_own_session() {
    check(&[requested_for(20)], open(3), Ok(&[opened(20)]));
    check(&[requested_for(10)], open(3), Ok(&[opened(15)]));
}

#[test]
fn checkout_is_not_opened_on_a_hold_that_has_ended() {
    let ended = Err(Rejection::HoldEnded);
    check(&[requested()], open(15), ended);
    check(&[requested(), opened(30)], open(30), ended);
    check(&[requested(), Event::Expired], open(20), ended);
    check(&[requested(), Event::Released], open(3), ended);
    check(&[requested(), Event::Expired, unplaced()], open(20), ended);
    // A late claim is not an error.
    check(&[requested(), Event::Expired], claim(20), Ok(&[]));
    // Paid in between: the page sees that from the booking itself.
    check(&[requested(), opened(30), paid(false)], open(20), Ok(&[]));
}

#[test]
fn a_hold_is_released_only_before_checkout_was_opened() {
    check(&[requested()], Command::Release, Ok(&[Event::Released]));
    check(&[requested(), Event::Expired], Command::Release, Ok(&[]));
    let opened_before = Err(Rejection::CheckoutOpened);
    check(&[requested(), opened(30)], Command::Release, opened_before);
    check(&[requested(), paid(false)], Command::Release, opened_before);
    check(&[], Command::Release, Err(Rejection::Absent));
}

#[test]
fn a_hold_ends_when_its_end_has_come_and_not_before() {
    let expire = |now| Command::Expire { now: at(now) };
    check(&[requested()], expire(14), Ok(&[]));
    check(&[requested()], expire(15), Ok(&[Event::Expired]));
    check(&[requested(), opened(30)], expire(15), Ok(&[]));
    check(&[requested(), opened(30)], expire(30), Ok(&[Event::Expired]));
    check(&[requested(), paid(false)], expire(500), Ok(&[]));
}

#[test]
fn money_in_time_confirms() {
    check(&[requested()], verify(10, FREE), Ok(&[paid(false)]));
    check(&[requested(), opened(30)], verify(29, FREE), Ok(&[paid(false)]));
    // For a payment within the hold, other bookings of the customer do not matter.
    check(&[requested(), opened(30)], verify(29, REPLACED), Ok(&[paid(false)]));
    check(&[requested(), opened(30)], verify(29, CLOSED), Ok(&[paid(false)]));
    // Also for near sessions: the two hours only apply to late payments.
    check(&[requested_for(60)], verify(10, FREE), Ok(&[paid(false)]));
}

#[test]
fn late_money_reinstates_the_booking_while_the_rules_allow() {
    let ended = [requested(), opened(30), Event::Expired];
    check(&ended, verify(40, FREE), Ok(&[paid(true)]));
    check(&ended, verify(480, FREE), Ok(&[paid(true)]));
    check(&ended, verify(481, FREE), Ok(&[unplaced()]));
    check(&ended, verify(40, GONE), Ok(&[unplaced()]));
    check(&ended, verify(40, REPLACED), Ok(&[unplaced()]));
    check(&ended, verify(40, CLOSED), Ok(&[unplaced()]));
    check(&[requested(), Event::Released], verify(10, FREE), Ok(&[paid(true)]));
}

#[test]
fn money_after_the_holds_end_is_late_before_the_timer_fires() {
    check(&[requested(), opened(30)], verify(30, FREE), Ok(&[paid(true)]));
    check(&[requested(), opened(30)], verify(30, GONE), Ok(&[unplaced()]));
    check(&[requested_for(60), opened(30)], verify(31, FREE), Ok(&[unplaced()]));
}

#[test]
fn a_second_payment_changes_nothing() {
    let second = Command::VerifyPayment {
        payment: PaymentId("pay_2".to_owned()),
        placement: FREE,
        now: at(20),
    };
    check(&[requested(), paid(false)], second.clone(), Ok(&[]));
    check(&[requested(), Event::Expired, unplaced()], second.clone(), Ok(&[]));
    check(&[], second, Err(Rejection::Absent));
}

#[test]
fn the_room_comes_to_a_confirmed_online_booking() {
    let schedule = Command::ScheduleMeeting { meeting: meeting() };
    let scheduled = Event::MeetingScheduled { meeting: meeting() };
    check(&[requested(), paid(false)], schedule.clone(), Ok(std::slice::from_ref(&scheduled)));
    check(&[requested()], schedule.clone(), Ok(&[]));
    check(&[requested(), paid(false), scheduled, Event::Completed], schedule.clone(), Ok(&[]));
    let in_person = Facts { mode: Mode::InPerson, ..facts_at(600) };
    let asked = Event::Requested { facts: in_person, until: at(15) };
    check(&[asked, paid(false)], schedule, Ok(&[]));
}

#[test]
fn a_booking_is_completed_at_its_sessions_end() {
    let complete = |now| Command::Complete { now: at(now) };
    check(&[requested(), paid(false)], complete(659), Ok(&[]));
    check(&[requested(), paid(false)], complete(660), Ok(&[Event::Completed]));
    check(&[requested(), Event::Expired], complete(700), Ok(&[]));
}

#[test]
fn staff_accept_a_claim() {
    let opened = [requested(), opened(30)];
    check(&[requested()], accept(3, true), Ok(&[on_claim(false)]));
    check(&opened, accept(29, true), Ok(&[on_claim(false)]));
    // Also after the hold's end, however near the session is, while its time is free.
    check(&opened, accept(30, true), Ok(&[on_claim(true)]));
    let ended = [requested(), Event::Expired];
    check(&ended, accept(599, true), Ok(&[on_claim(true)]));
    check(&ended, accept(640, true), Ok(&[on_claim(true)]));
    check(&ended, accept(660, true), Err(Rejection::SessionEnded));
    check(&ended, accept(40, false), Err(Rejection::SlotTaken));
    check(&[requested(), Event::Released], accept(40, true), Ok(&[on_claim(true)]));
    check(&[requested(), paid(false)], accept(40, true), Ok(&[]));
}

#[test]
fn a_missing_or_settled_claim_is_not_accepted() {
    let unclaimed = Command::AcceptClaim { claimed: false, free: true, now: at(3) };
    let refused = Err(Rejection::NotClaimed);
    check(&[requested()], unclaimed.clone(), refused);
    check(&[requested(), paid(false)], unclaimed, refused);
    check(&[requested(), Event::Expired, unplaced()], accept(40, true), refused);
    let cancelled = [requested(), on_claim(false), unpaid(CancelledBy::Customer, 0)];
    check(&cancelled, accept(40, true), refused);
    check(&[], accept(3, true), Err(Rejection::Absent));
}

#[test]
fn the_accept_policy_confirms_what_a_payment_would() {
    let opened = [requested(), opened(30)];
    check(&[requested()], claim_and_accept(3, FREE), Ok(&[on_claim(false)]));
    check(&opened, claim_and_accept(29, REPLACED), Ok(&[on_claim(false)]));
    let ended = [requested(), Event::Expired];
    check(&ended, claim_and_accept(40, FREE), Ok(&[on_claim(true)]));
    for gone in [GONE, REPLACED] {
        check(&ended, claim_and_accept(40, gone), Ok(&[]));
    }
    check(&ended, claim_and_accept(481, FREE), Ok(&[]));
}

#[test]
fn a_payment_after_an_accepted_claim_belongs_to_its_booking() {
    let arrived = Event::Paid { payment: payment() };
    let scheduled = Event::MeetingScheduled { meeting: meeting() };
    let taken = [requested(), on_claim(false)];
    check(&taken, verify(40, GONE), Ok(std::slice::from_ref(&arrived)));
    let with_room = [requested(), on_claim(false), scheduled];
    check(&with_room, verify(40, FREE), Ok(std::slice::from_ref(&arrived)));
    let over = [requested(), on_claim(false), Event::Completed];
    check(&over, verify(900, GONE), Ok(std::slice::from_ref(&arrived)));
    let second = [requested(), on_claim(false), arrived];
    check(&second, verify(50, FREE), Ok(&[]));
}

#[test]
fn a_cancellation_by_the_customer_refunds_all_until_the_limit_and_nothing_after() {
    let customer = |now| cancel(CancelledBy::Customer, RefundChoice::ByPolicy, now);
    // The session begins two days after the request.
    let paid_for = [requested_for(2 * 24 * 60), paid(false)];
    let limit = 24 * 60;
    check(&paid_for, customer(limit), Ok(&[cancelled(CancelledBy::Customer, 50_000)]));
    check(&paid_for, customer(limit + 1), Ok(&[cancelled(CancelledBy::Customer, 0)]));
}

#[test]
fn a_cancellation_by_the_practice_refunds_all_unless_staff_choose_otherwise() {
    let paid_for = [requested_for(2 * 24 * 60), paid(false)];
    let late = 2 * 24 * 60;
    for (by, refund, now, minor) in [
        (CancelledBy::Practice, RefundChoice::ByPolicy, late, 50_000),
        (CancelledBy::Practice, RefundChoice::Nothing, 20, 0),
        (CancelledBy::Customer, RefundChoice::Full, late, 50_000),
        (CancelledBy::Customer, RefundChoice::Nothing, 20, 0),
    ] {
        check(&paid_for, cancel(by, refund, now), Ok(&[cancelled(by, minor)]));
    }
}

#[test]
fn only_what_is_confirmed_and_not_over_is_cancelled() {
    let cancellation = |now| cancel(CancelledBy::Practice, RefundChoice::ByPolicy, now);
    let refused = Err(Rejection::NotCancellable);
    let whole = cancelled(CancelledBy::Practice, 50_000);
    let scheduled = Event::MeetingScheduled { meeting: meeting() };
    check(
        &[requested(), paid(false), scheduled],
        cancellation(659),
        Ok(std::slice::from_ref(&whole)),
    );
    check(&[requested(), paid(false)], cancellation(660), refused);
    check(&[requested(), paid(false), Event::Completed], cancellation(700), refused);
    check(&[requested()], cancellation(3), refused);
    check(&[requested(), opened(30)], cancellation(3), refused);
    check(&[requested(), Event::Expired], cancellation(40), refused);
    check(&[requested(), Event::Expired, unplaced()], cancellation(40), refused);
    check(&[], cancellation(3), Err(Rejection::Absent));
    // A different cancellation afterwards is too late.
    let other = cancel(CancelledBy::Customer, RefundChoice::Nothing, 50);
    check(&[requested(), paid(false), whole], other, Ok(&[]));
}

#[test]
fn a_cancelled_booking_stays_cancelled() {
    let gone = [requested(), paid(false), cancelled(CancelledBy::Customer, 0)];
    check(&gone, open(20), Err(Rejection::HoldEnded));
    check(&gone, claim(20), Ok(&[]));
    check(&gone, Command::Release, Ok(&[]));
    check(&gone, verify(40, FREE), Ok(&[]));
    check(&gone, Command::ScheduleMeeting { meeting: meeting() }, Ok(&[]));
    check(&gone, Command::Complete { now: at(700) }, Ok(&[]));
    check(&gone, Command::Expire { now: at(700) }, Ok(&[]));
}

fn any_command() -> impl Strategy<Value = Command> {
    let placement = any::<(bool, bool, bool)>()
        .prop_map(|(free, replaced, offered)| PlacementCheck { free, replaced, offered });
    (0..20, placement, 1..3).prop_map(|(kind, placement, payment)| match kind {
        0 => Command::Request { facts: facts_at(600), until: at(15) },
        1 => open(0),
        2 => claim(0),
        3 => Command::Release,
        4 => Command::Expire { now: at(0) },
        5 => Command::VerifyPayment {
            payment: PaymentId(format!("pay_{payment}")),
            placement,
            now: at(0),
        },
        6 => Command::ScheduleMeeting { meeting: meeting() },
        7 => claim_and_accept(0, placement),
        8 => Command::AcceptClaim { claimed: placement.replaced, free: placement.free, now: at(0) },
        9 => cancel(CancelledBy::Customer, RefundChoice::ByPolicy, 0),
        10 => cancel(CancelledBy::Practice, RefundChoice::Nothing, 0),
        11 => Command::Request { facts: free_facts(), until: at(15) },
        12 => own_cancellation::later(None, 0, 0),
        13 => Command::UndoCancellation,
        14 => Command::TakeEffect { unwritten: a_day(), now: at(0) },
        15 => moving::to(1, (600, 600 + 30 * i64::from(payment)), 0),
        16 => moving::to(1, (600 + 30 * i64::from(payment), 600), 0),
        17 => proposals::propose(1, 600, 0),
        18 => Command::LapseProposal { unwritten: a_day(), now: at(0) },
        _ => Command::Complete { now: at(0) },
    })
}

fn at_time(command: Command, time: Timestamp) -> Command {
    match command {
        Command::OpenCheckout { grow_minutes, .. } => {
            Command::OpenCheckout { grow_minutes, now: time }
        }
        Command::ClaimPayment { grow_minutes, accept, .. } => {
            Command::ClaimPayment { grow_minutes, accept, now: time }
        }
        Command::AcceptClaim { claimed, free, .. } => {
            Command::AcceptClaim { claimed, free, now: time }
        }
        Command::Cancel { cancellation, .. } => Command::Cancel { cancellation, now: time },
        Command::CancelLater { cancellation, shown, .. } => {
            Command::CancelLater { cancellation, shown, now: time }
        }
        Command::TakeEffect { unwritten, .. } => Command::TakeEffect { unwritten, now: time },
        Command::Expire { .. } => Command::Expire { now: time },
        Command::VerifyPayment { payment, placement, .. } => {
            Command::VerifyPayment { payment, placement, now: time }
        }
        Command::Complete { .. } => Command::Complete { now: time },
        Command::MarkAttendance { session, attendance, .. } => {
            Command::MarkAttendance { session, attendance, now: time }
        }
        Command::Move { request, shown, to, .. } => Command::Move { request, shown, to, now: time },
        Command::ProposeMove { asked, .. } => Command::ProposeMove { asked, now: time },
        Command::WithdrawProposal { .. } => Command::WithdrawProposal { now: time },
        Command::LapseProposal { unwritten, .. } => Command::LapseProposal { unwritten, now: time },
        Command::RequestPage { number, .. } => Command::RequestPage { number, now: time },
        Command::RenewPage { number } => Command::RenewPage { number },
        Command::RequestPageCode { number, .. } => Command::RequestPageCode { number, now: time },
        Command::RequestConsentCode { number, .. } => {
            Command::RequestConsentCode { number, now: time }
        }
        other @ (Command::Request { .. }
        | Command::UndoCancellation
        | Command::Release
        | Command::TakeBack
        | Command::Adopt { .. }
        | Command::ScheduleMeeting { .. }) => other,
    }
}

proptest! {
    #[test]
    fn every_history_is_legal(
        commands in prop::collection::vec((0_i64..40, any_command()), 1..40)
    ) {
        let mut state = State::Absent;
        let mut clock = 0;
        let mut history = Vec::new();
        for (step, command) in commands {
            clock += step;
            let command = at_time(command, at(clock));
            let Ok(events) = BookingLife::decide(&state, command.clone()) else { continue };
            state = events.iter().fold(state, BookingLife::evolve);
            history.extend(events);
            prop_assert_eq!(BookingLife::decide(&state, command), Ok(Vec::new()));
        }
        let count = |wanted: fn(&Event) -> bool| history.iter().filter(|e| wanted(e)).count();
        let extensions = count(|e| matches!(e, Event::CheckoutOpened { .. }));
        prop_assert!(extensions <= 1, "a hold is extended once");
        let paid = count(|e| match e {
            Event::Confirmed { basis: ConfirmationBasis::Payment(_), .. }
            | Event::Paid { .. }
            | Event::Unplaced { .. } => true,
            Event::Confirmed { basis: ConfirmationBasis::Claim | ConfirmationBasis::Free, .. }
            | Event::Requested { .. }
            | Event::CheckoutOpened { .. }
            | Event::MeetingScheduled { .. }
            | Event::Expired
            | Event::Released
            | Event::SessionCompleted { .. }
            | Event::SessionCancelled { .. }
            | Event::Cancelled { .. }
            | Event::CancellationRequested(_)
            | Event::CancellationUndone
            | Event::Moved { .. }
            | Event::MoveProposed(_)
            | Event::MoveProposalWithdrawn { .. }
            | Event::Adopted { .. }
            | Event::PageRequested { .. }
            | Event::ConsentCodeRequested { .. }
            | Event::PageCodeRequested { .. }
            | Event::AttendanceMarked { .. }
            | Event::Completed => false,
        });
        let is_free = state.facts().is_some_and(Facts::is_free);
        prop_assert!(paid <= usize::from(!is_free), "one payment belongs to it, or goes back");
        let confirmed = count(|e| matches!(e, Event::Confirmed { .. }));
        let ended = count(|e| matches!(e, Event::Cancelled { .. } | Event::Completed));
        prop_assert!(confirmed <= 1 && ended <= confirmed, "it takes place or is cancelled, once");
        if let Some(until) = state.held_until() {
            prop_assert!(until <= at(30), "no hold is longer than half an hour");
        }
    }
}
