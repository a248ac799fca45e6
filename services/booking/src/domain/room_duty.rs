//! When a session online that has no room becomes the task of a person: the provider is asked again
//! all the time, and the practice has to know before the client does.

use kernel::Timestamp;

use super::span::Span;

/// How long before a session its room has to be there.
const READY_BEFORE_MINUTES: i64 = 24 * 60;
/// How long after its confirmation the room of a session that starts soon may take.
const PATIENCE_MINUTES: i64 = 10;

/// The numbers from 1 of the sessions whose room has to be there by now. Of a session that does not
/// take place there is no span.
pub fn sessions_due(
    sessions: impl Iterator<Item = Option<Span>>,
    confirmed_at: Timestamp,
    now: Timestamp,
) -> Vec<usize> {
    let is_patient = now < confirmed_at.plus_minutes(PATIENCE_MINUTES);
    let is_due = |span: Span| {
        span.starts_at().plus_minutes(-READY_BEFORE_MINUTES) <= now && now < span.ends_at()
    };
    let due = sessions.zip(1..).filter(|(span, _)| !is_patient && span.is_some_and(is_due));
    due.map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 60;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000).unwrap().plus_minutes(minutes)
    }

    /// Sessions at 0 and a week later; the one between does not take place.
    fn due(confirmed: i64, now: i64) -> Vec<usize> {
        let session = |from: i64| Span::new(at(from), at(from + HOUR));
        let sessions = [session(0), None, session(7 * 24 * HOUR)];
        sessions_due(sessions.into_iter(), at(confirmed), at(now))
    }

    #[test]
    fn a_room_is_due_a_day_before_its_session_until_that_is_over() {
        let long_before = -30 * 24 * HOUR;
        assert_eq!(due(long_before, -24 * HOUR - 1), [] as [usize; 0]);
        assert_eq!(due(long_before, -24 * HOUR), [1]);
        assert_eq!(due(long_before, HOUR - 1), [1]);
        assert_eq!(due(long_before, HOUR), [] as [usize; 0]);
        assert_eq!(due(long_before, 6 * 24 * HOUR), [3]);
    }

    #[test]
    fn the_room_of_what_was_just_booked_may_take_ten_minutes() {
        assert_eq!(due(-HOUR, -HOUR + 9), [] as [usize; 0]);
        assert_eq!(due(-HOUR, -HOUR + 10), [1]);
    }
}
