//! The practice asks for another time: the client loses nothing, chosen or not.

use kernel::{Decider, Money, fold};

use super::moving::{moved_by, to};
use super::packages::package;
use super::{a_day, at, cancel, check, facts_at, meeting, own_cancellation, paid};
use crate::domain::booking::{
    Attendance, BookingLife, Cancellation, CancelledBy, Command, Effect, Event, Facts, Movable,
    MoveProposal, MoveRequest, MovedBy, OwnCancellation, ProposedMove, ProposedTime, RefundChoice,
    Rejection, State, Timer, Whose, follow,
};
use crate::domain::day;
use crate::domain::span::Span;

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
/// A session that starts on the fourth day.
const START: i64 = 4 * DAY;

/// The practice asks for another time of what starts then; its time is offered again.
pub(super) fn propose(session: usize, start: i64, now: i64) -> Command {
    let asked = ProposedMove { session, shown: at(start), opens_again: true };
    Command::ProposeMove { asked, now: at(now) }
}

fn lapse(now: i64) -> Command {
    Command::LapseProposal { unwritten: a_day(), now: at(now) }
}

fn proposed(session: usize, start: i64, until: i64) -> Event {
    closing(MoveProposal {
        number: 1,
        session,
        starts_at: at(start),
        choose_until: at(until),
        opens_again: true,
    })
}

fn closing(proposal: MoveProposal) -> Event {
    Event::MoveProposed(proposal)
}

fn given(facts: Facts, more: &[Event]) -> Vec<Event> {
    let begin = [Event::Requested { facts, until: at(15) }, paid(false)];
    [&begin[..], more].concat()
}

/// A booking whose time is to be chosen until a day before.
fn displaced() -> Vec<Event> {
    given(facts_at(START), &[proposed(1, START, START - DAY)])
}

fn back(by: CancelledBy) -> Event {
    Event::Cancelled { by, refund: Money::inr(50_000), unpaid: false, by_grace: false }
}

#[test]
fn a_time_is_chosen_until_a_day_before_or_until_the_start_where_the_practice_asks_late() {
    let begin = given(facts_at(START), &[]);
    for (now, until) in [
        (0, START - DAY),
        (START - 36 * HOUR, START - DAY),
        (START - 36 * HOUR + 1, START),
        (START - DAY, START),
        (START - 1, START),
    ] {
        let asked = propose(1, START, now);
        check(&begin, asked, Ok(&[proposed(1, START, until)]));
    }
    check(&begin, propose(1, START, START), Err(Rejection::NotMovable));
}

#[test]
fn only_a_placed_session_is_proposed_once_and_as_it_was_shown() {
    check(&[], propose(1, START, 0), Err(Rejection::Absent));
    let requested = Event::Requested { facts: facts_at(START), until: at(15) };
    check(&[requested], propose(1, START, 0), Err(Rejection::NotMovable));
    let begin = given(facts_at(START), &[]);
    check(&begin, propose(2, START, 0), Err(Rejection::SessionUnknown));
    check(&begin, propose(1, START - 30, 0), Err(Rejection::ChangedSince));
    check(&displaced(), propose(1, START, 10), Ok(&[]));
    let several = given(package(), &[proposed(2, 3 * DAY, 2 * DAY)]);
    check(&several, propose(3, 4 * DAY, 0), Err(Rejection::MoveProposed));
    // A second proposal of the booking has another number.
    let withdrawn = Event::MoveProposalWithdrawn { session: 1, number: 1 };
    let again = [&displaced()[..], &[withdrawn]].concat();
    let second = MoveProposal {
        number: 2,
        session: 1,
        starts_at: at(START),
        choose_until: at(START - DAY),
        opens_again: true,
    };
    check(&again, propose(1, START, 10), Ok(&[closing(second)]));
}

#[test]
fn a_choice_knows_no_limit_of_the_policy_and_is_the_practices_move() {
    let own = |number: u16| moved_by(MovedBy::Customer, 1, (START, START), number);
    let often = given(facts_at(START), &[own(1), own(2), own(3)]);
    check(&often, to(1, (START, START + DAY), 0), Err(Rejection::MovedTooOften));
    let late = [&often[..], &[proposed(1, START, START)]].concat();
    let times = (START, START + DAY);
    let chosen = moved_by(MovedBy::Practice, 1, times, 4);
    check(&late, to(1, times, START), Ok(std::slice::from_ref(&chosen)));
    check(&late, to(1, times, START + 1), Err(Rejection::MoveTooLate));
    let state = fold::<BookingLife>(&[&late[..], &[chosen]].concat());
    assert_eq!(state.move_proposal(), None, "the choice ends it");
    let again =
        MoveRequest { number: 1, by: MovedBy::Customer, practitioner_id: None, unwritten: a_day() };
    assert_eq!(Movable::of(&state, &again, at(START)), Err(Rejection::MovedTooOften));
    // Staff choose for the client, too.
    let asked = Command::Move {
        request: MoveRequest { by: MovedBy::CustomerAsked, ..again },
        shown: at(START),
        to: Span::new(at(START + DAY), at(START + DAY + 60)).unwrap(),
        now: at(START - 5),
    };
    check(&late, asked, Ok(&[moved_by(MovedBy::CustomerAsked, 1, times, 4)]));
}

#[test]
fn the_other_sessions_of_a_package_keep_their_limits() {
    let several = given(package(), &[proposed(2, 3 * DAY, 3 * DAY)]);
    check(&several, to(3, (4 * DAY, 5 * DAY), 3 * DAY + 1), Err(Rejection::MoveTooLate));
    let state = fold::<BookingLife>(&several);
    let by = |session| Cancellation {
        by: CancelledBy::Customer,
        refund: RefundChoice::ByPolicy,
        session,
        grace_left: 0,
        unwritten: a_day(),
    };
    // Half an hour before the second one: of the first nothing, of the others all.
    let own = OwnCancellation::of(&state, &by(Some(2)), at(3 * DAY - 30)).unwrap();
    assert_eq!((own.refund.minor, own.at_once), (33_333, false));
    let own = OwnCancellation::of(&state, &by(None), at(3 * DAY - 30)).unwrap();
    assert_eq!((own.sessions, own.refund.minor), (vec![2, 3], 33_333 + 33_335));
}

#[test]
fn without_a_choice_everything_goes_back_and_that_is_never_called_a_no_show() {
    check(&displaced(), lapse(START - DAY - 1), Ok(&[]));
    check(&displaced(), lapse(START - DAY), Ok(&[back(CancelledBy::Practice)]));
    // The service was down until long after the session's end.
    let late = START + 2 * DAY;
    let complete = Command::Complete { now: at(late) };
    check(&displaced(), complete, Ok(&[]));
    check(&displaced(), lapse(late), Ok(&[back(CancelledBy::Practice)]));
    for attendance in [Attendance::NoShow, Attendance::Came] {
        let mark = Command::MarkAttendance { session: None, attendance, now: at(START + 5) };
        check(&displaced(), mark.clone(), Err(Rejection::NotMarkable));
        let over = [&displaced()[..], &[back(CancelledBy::Practice)]].concat();
        check(&over, mark, Err(Rejection::NotMarkable));
    }
}

#[test]
fn of_a_package_the_share_of_the_session_goes_back() {
    let several = given(package(), &[proposed(2, 3 * DAY, 3 * DAY)]);
    let state = fold::<BookingLife>(&several);
    let now = 3 * DAY + 90;
    // The timer of a session's end is the faster one: it leaves all to the proposal's.
    let none = BookingLife::decide(&state, Command::Complete { now: at(now) });
    assert_eq!(none, Ok(Vec::new()));
    let events = BookingLife::decide(&state, lapse(now)).unwrap();
    let cancelled = |event: &Event| {
        let Event::SessionCancelled { number: 2, by, share, refund, .. } = event else {
            return false;
        };
        *by == CancelledBy::Practice && share == refund
    };
    assert!(events.iter().any(cancelled), "{events:?}");
    // Staff cancel what is left meanwhile: what can't be held does not count as held.
    let all = cancel(CancelledBy::Practice, RefundChoice::Nothing, now);
    let events = BookingLife::decide(&state, all).unwrap();
    assert!(events.iter().any(cancelled), "{events:?}");
}

#[test]
fn the_clients_own_cancellation_gives_all_back_and_undoing_it_restores_the_proposal() {
    // An hour before its start the policy gives nothing.
    let late = given(facts_at(START), &[proposed(1, START, START)]);
    let before = fold::<BookingLife>(&late);
    let cancel = own_cancellation::later(None, 50_000, START - HOUR);
    let events = BookingLife::decide(&before, cancel).unwrap();
    let pending = events.iter().fold(before.clone(), BookingLife::evolve);
    let refused = Err(Rejection::CancellationPending);
    let withdraw = Command::WithdrawProposal { now: at(START - HOUR) };
    assert_eq!(BookingLife::decide(&pending, withdraw), refused, "its refund was shown");
    let undone = BookingLife::decide(&pending, Command::UndoCancellation).unwrap();
    assert_eq!(undone.iter().fold(pending.clone(), BookingLife::evolve), before);
    let effect = Command::TakeEffect { unwritten: a_day(), now: at(START - HOUR + 3) };
    let effect = BookingLife::decide(&pending, effect);
    assert_eq!(effect, Ok(vec![back(CancelledBy::Customer)]));
    // A cancellation under way refuses a proposal.
    let begin = fold::<BookingLife>(&given(facts_at(START), &[]));
    let events = BookingLife::decide(&begin, own_cancellation::later(None, 50_000, 0)).unwrap();
    let pending = events.iter().fold(begin, BookingLife::evolve);
    assert_eq!(BookingLife::decide(&pending, propose(1, START, 1)), refused);
}

#[test]
fn a_proposal_is_withdrawn_while_a_time_can_be_chosen() {
    let withdraw = |now| Command::WithdrawProposal { now: at(now) };
    let none = Err(Rejection::NoMoveProposal);
    let decided =
        |given: &[Event], now| BookingLife::decide(&fold::<BookingLife>(given), withdraw(now));
    let withdrawn = Event::MoveProposalWithdrawn { session: 1, number: 1 };
    assert_eq!(decided(&displaced(), 10), Ok(vec![withdrawn.clone()]));
    assert_eq!(decided(&displaced(), START - DAY), none);
    let after = [&displaced()[..], &[withdrawn]].concat();
    assert_eq!(decided(&after, 10), none);
    // The policy counts again.
    let late = cancel(CancelledBy::Customer, RefundChoice::ByPolicy, START - HOUR);
    let kept = Event::Cancelled {
        by: CancelledBy::Customer,
        refund: Money::inr(0),
        unpaid: false,
        by_grace: false,
    };
    check(&after, late, Ok(&[kept]));
}

/// What follows for the days and timers of a booking whose time is not to be offered again.
fn follows(decided: &[Event]) -> (ProposedTime, Vec<Effect>) {
    let proposal = MoveProposal {
        number: 1,
        session: 1,
        starts_at: at(START),
        choose_until: at(START),
        opens_again: false,
    };
    let before = fold::<BookingLife>(&given(facts_at(START), &[closing(proposal)]));
    let left = ProposedTime::of(&before).unwrap();
    let after = decided.iter().fold(before, BookingLife::evolve);
    (left, follow(Some(left), &after, decided, at(5)))
}

fn session() -> Span {
    Span::new(at(START), at(START + 60)).unwrap()
}

#[test]
fn the_time_that_is_left_is_closed_unless_it_opens_again() {
    let booking_id = facts_at(START).booking_id;
    let moved = moved_by(MovedBy::Practice, 1, (START, START + DAY), 1);
    for decided in [moved, back(CancelledBy::Practice), back(CancelledBy::Customer)] {
        let whose = if matches!(decided, Event::Moved { .. }) { Whose::Before } else { Whose::Now };
        let (left, effects) = follows(&[decided]);
        let command = day::Command::Close { booking_id, block_id: left.block_id() };
        assert_eq!(effects[0], Effect::Day { session: session(), command, whose });
        assert_eq!(effects.last(), Some(&Effect::EndTimer(Timer::ProposalEnd)));
    }
    // It takes place after all.
    let (_, effects) = follows(&[Event::MoveProposalWithdrawn { session: 1, number: 1 }]);
    assert_eq!(effects, [Effect::EndTimer(Timer::ProposalEnd)]);
    let before = fold::<BookingLife>(&displaced());
    let gone = [back(CancelledBy::Practice)];
    let after = gone.iter().fold(before.clone(), BookingLife::evolve);
    let effects = follow(ProposedTime::of(&before), &after, &gone, at(5));
    let command = day::Command::Cancel { booking_id };
    assert_eq!(effects[0], Effect::Day { session: session(), command, whose: Whose::Now });
}

#[test]
fn a_client_chooses_no_time_that_the_practice_cant_hold() {
    let proposal = MoveProposal {
        number: 1,
        session: 1,
        starts_at: at(START),
        choose_until: at(START),
        opens_again: false,
    };
    let begin = given(facts_at(START), &[closing(proposal)]);
    check(&begin, to(1, (START, START + 30), 0), Err(Rejection::SlotTaken));
    check(
        &begin,
        to(1, (START, START + 60), 0),
        Ok(&[moved_by(MovedBy::Practice, 1, (START, START + 60), 1)]),
    );
}

#[test]
fn another_practitioner_has_another_room() {
    let handed_over = |to: i64| Event::Moved {
        number: 1,
        from: session(),
        to: Span::new(at(to), at(to + 60)).unwrap(),
        by: MovedBy::Practice,
        move_number: 1,
        practitioner: Some("ravi".to_owned()),
    };
    let command = |number, to: i64, whom: &str| Command::Move {
        request: MoveRequest {
            number,
            by: MovedBy::Practice,
            practitioner_id: Some(whom.to_owned()),
            unwritten: a_day(),
        },
        shown: at(START),
        to: Span::new(at(to), at(to + 60)).unwrap(),
        now: at(0),
    };
    let begin = given(facts_at(START), &[Event::MeetingScheduled { meeting: meeting() }]);
    check(&begin, command(1, START, "ravi"), Ok(&[handed_over(START)]));
    check(&begin, command(1, START, "lead"), Ok(&[]));
    let state = fold::<BookingLife>(&[&begin[..], &[handed_over(START)]].concat());
    let State::Confirmed { facts, .. } = &state else { panic!("{state:?}") };
    assert_eq!(facts.practitioner_id, "ravi");
    let effects = follow(None, &state, &[handed_over(START)], at(5));
    let create = Effect::SetTimer { timer: Timer::CreateMeeting, due: at(5) };
    assert!(effects.contains(&create) && effects.contains(&Effect::EndTimer(Timer::MoveMeeting)));
    let several = given(package(), &[]);
    let shown = Command::Move {
        request: MoveRequest {
            number: 2,
            by: MovedBy::Practice,
            practitioner_id: Some("ravi".to_owned()),
            unwritten: a_day(),
        },
        shown: at(3 * DAY),
        to: Span::new(at(3 * DAY + 90), at(3 * DAY + 150)).unwrap(),
        now: at(0),
    };
    check(&several, shown, Err(Rejection::KeepsPractitioner));
}
