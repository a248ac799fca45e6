//! Given/when/then tests of a review's lifecycle, and properties of all histories.

use kernel::{Decider as _, Id, Timestamp, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    Command, Event, Facts, Moderator, RETENTION_DAYS, Rating, Rejection, ReviewLife, State,
    erase_at, undo_until,
};

/// Seconds after the publication.
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_400_000).unwrap().plus_seconds(seconds)
}

fn facts() -> Facts {
    Facts {
        review_id: Id::from_uuid(Uuid::from_u128(1)),
        service: "Energy Healing".to_owned(),
        rating: Rating::new(4).unwrap(),
        image_id: None,
    }
}

fn owner() -> Moderator {
    Moderator::Member(Id::from_uuid(Uuid::from_u128(9)))
}

fn booking(number: u128) -> Id<kernel::id::Booking> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn submitted() -> Event {
    Event::Submitted { facts: facts() }
}

fn deleted(seconds: i64) -> Event {
    Event::Deleted { by: owner(), at: at(seconds) }
}

fn restored() -> Event {
    Event::Restored { by: owner() }
}

fn delete(seconds: i64) -> Command {
    Command::Delete { by: owner(), at: at(seconds) }
}

fn restore(seconds: i64) -> Command {
    Command::Restore { by: owner(), at: at(seconds) }
}

fn decided(given: &[Event], when: Command) -> Result<Vec<Event>, Rejection> {
    ReviewLife::decide(&fold::<ReviewLife>(given), when)
}

const MONTH: i64 = RETENTION_DAYS * 86_400;

#[test]
fn a_review_is_published_once() {
    assert_eq!(decided(&[], Command::Submit { facts: facts() }), Ok(vec![submitted()]));
    let again = Command::Submit { facts: facts() };
    assert_eq!(decided(&[submitted()], again), Ok(Vec::new()));
    let other = Facts { rating: Rating::new(1).unwrap(), ..facts() };
    let refused = decided(&[submitted()], Command::Submit { facts: other });
    assert_eq!(refused, Err(Rejection::Exists));
}

#[test]
fn the_badge_is_given_once_and_only_to_what_can_be_read() {
    let verify = |number| Command::Verify { booking_id: booking(number) };
    let verified = Event::Verified { booking_id: booking(1) };
    assert_eq!(decided(&[submitted()], verify(1)), Ok(vec![verified.clone()]));
    assert_eq!(decided(&[submitted(), verified], verify(2)), Ok(Vec::new()));
    assert_eq!(decided(&[], verify(1)), Err(Rejection::Absent));
    assert_eq!(decided(&[submitted(), deleted(5)], verify(1)), Err(Rejection::Absent));
}

#[test]
fn deleting_twice_decides_nothing_new() {
    assert_eq!(decided(&[submitted()], delete(5)), Ok(vec![deleted(5)]));
    assert_eq!(decided(&[submitted(), deleted(5)], delete(6)), Ok(Vec::new()));
    assert_eq!(decided(&[submitted(), deleted(5), Event::Erased], delete(6)), Ok(Vec::new()));
    assert_eq!(decided(&[], delete(5)), Err(Rejection::Absent));
}

#[test]
fn a_deletion_can_be_undone_for_a_short_while() {
    let gone = [submitted(), deleted(0)];
    assert_eq!(undo_until(at(0)), at(10));
    assert_eq!(decided(&gone, restore(15)), Ok(vec![restored()]));
    assert_eq!(decided(&gone, restore(16)), Err(Rejection::UndoTooLate));
    let back = [submitted(), deleted(0), restored()];
    assert_eq!(decided(&back, restore(99)), Ok(Vec::new()));
    assert_eq!(decided(&back, delete(20)), Ok(vec![deleted(20)]));
    assert_eq!(decided(&[], restore(1)), Err(Rejection::Absent));
    let erased = [submitted(), deleted(0), Event::Erased];
    assert_eq!(decided(&erased, restore(1)), Err(Rejection::UndoTooLate));
}

#[test]
fn a_restored_review_keeps_its_badge() {
    let history = [submitted(), Event::Verified { booking_id: booking(1) }, deleted(0), restored()];
    let state = fold::<ReviewLife>(&history);
    assert_eq!(state, State::Published { facts: facts(), proof: Some(booking(1)) });
}

#[test]
fn personal_data_is_erased_a_month_after_the_last_deletion() {
    let erase = |seconds| Command::Erase { at: at(seconds) };
    let gone = [submitted(), deleted(0)];
    assert_eq!(erase_at(at(0)), at(MONTH));
    assert_eq!(decided(&gone, erase(MONTH - 1)), Ok(Vec::new()));
    assert_eq!(decided(&gone, erase(MONTH)), Ok(vec![Event::Erased]));
    assert_eq!(decided(&[submitted()], erase(MONTH)), Ok(Vec::new()));
    let again = [submitted(), deleted(0), restored(), deleted(500)];
    assert_eq!(decided(&again, erase(MONTH)), Ok(Vec::new()));
    assert_eq!(decided(&again, erase(MONTH + 500)), Ok(vec![Event::Erased]));
    let erased = [submitted(), deleted(0), Event::Erased];
    assert_eq!(decided(&erased, erase(MONTH * 2)), Ok(Vec::new()));
}

#[test]
fn stars_are_one_to_five() {
    for stars in [-1, 0, 6, 256 + 5, i32::MAX] {
        assert_eq!(Rating::new(stars), None, "{stars}");
    }
    assert!((1..=5).all(|stars| Rating::new(stars).unwrap().stars() == stars));
}

#[test]
fn a_moderator_is_read_as_it_is_written() {
    for moderator in [owner(), Moderator::Passphrase] {
        assert_eq!(moderator.to_string().parse(), Ok(moderator));
    }
    assert!("Passphrase".parse::<Moderator>().is_err());
}

fn commands() -> impl Strategy<Value = Command> {
    let seconds = 0..MONTH * 2;
    prop_oneof![
        Just(Command::Submit { facts: facts() }),
        (1..4_u128).prop_map(|number| Command::Verify { booking_id: booking(number) }),
        seconds.clone().prop_map(delete),
        seconds.clone().prop_map(restore),
        seconds.prop_map(|seconds| Command::Erase { at: at(seconds) }),
    ]
}

proptest! {
    #[test]
    fn the_same_command_again_decides_nothing(history in prop::collection::vec(commands(), 0..12)) {
        let mut state = State::default();
        for command in history {
            let Ok(events) = ReviewLife::decide(&state, command.clone()) else { continue };
            state = events.iter().fold(state, ReviewLife::evolve);
            prop_assert_eq!(ReviewLife::decide(&state, command), Ok(Vec::new()));
        }
    }

    #[test]
    fn nothing_comes_back_once_it_was_erased(history in prop::collection::vec(commands(), 0..30)) {
        let mut state = State::default();
        let mut proofs = 0;
        for command in history {
            let was_erased = matches!(state, State::Erased { .. });
            let Ok(events) = ReviewLife::decide(&state, command) else { continue };
            prop_assert!(!was_erased || events.is_empty());
            proofs += events.iter().filter(|it| matches!(it, Event::Verified { .. })).count();
            state = events.iter().fold(state, ReviewLife::evolve);
        }
        prop_assert!(proofs <= 1);
    }
}
