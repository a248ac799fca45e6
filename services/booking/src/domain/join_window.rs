//! When the room of a booking's sessions is shown: from shortly before a session until some time
//! after it.

use kernel::Timestamp;

use super::span::Span;

/// How long before a session its room is shown.
const OPENS_BEFORE_MINUTES: i64 = 10;
/// How long after a session its room is still shown, because some last longer than planned.
const CLOSES_AFTER_MINUTES: i64 = 120;

/// The room of the session that is on or comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinWindow {
    /// The number from 1 of the session among those that were asked about.
    pub number: usize,
    /// When it opens.
    pub opens_at: Timestamp,
    /// When it closes.
    pub closes_at: Timestamp,
    /// Whether it is open.
    pub is_open: bool,
}

/// The room of the session that is on, else of the next one; `None` when all are over. Of a session
/// that does not take place there is no span.
pub fn join_window(
    sessions: impl Iterator<Item = Option<Span>>,
    now: Timestamp,
) -> Option<JoinWindow> {
    let closes_at = |it: Span| it.ends_at().plus_minutes(CLOSES_AFTER_MINUTES);
    let placed = sessions.zip(1..).filter_map(|(span, number)| Some((span?, number)));
    let ahead = placed.filter(|(span, _)| now <= closes_at(*span));
    let (span, number) = ahead.min_by_key(|(span, _)| span.starts_at())?;
    let opens_at = span.starts_at().plus_minutes(-OPENS_BEFORE_MINUTES);
    Some(JoinWindow { number, opens_at, closes_at: closes_at(span), is_open: opens_at <= now })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point in time, in minutes after ten in the morning of some day.
    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000).unwrap().plus_minutes(minutes)
    }

    /// The first session is the later one; the last does not take place.
    fn window(now: i64) -> Option<(i64, i64, usize, bool)> {
        let sessions = [(1440, 1500), (0, 60)];
        let spans = sessions.into_iter().map(|(from, to)| Span::new(at(from), at(to)));
        let found = join_window(spans.chain([None]), at(now))?;
        let minutes = |it: Timestamp| it.seconds_since(at(0)) / 60;
        let JoinWindow { number, opens_at, closes_at, is_open } = found;
        Some((minutes(opens_at), minutes(closes_at), number, is_open))
    }

    #[test]
    fn the_room_is_shown_from_ten_minutes_before_until_two_hours_after() {
        assert_eq!(window(-11), Some((-10, 180, 2, false)));
        assert_eq!(window(-10), Some((-10, 180, 2, true)));
        assert_eq!(window(60 + 120), Some((-10, 180, 2, true)));
        assert_eq!(window(60 + 121), Some((1430, 1620, 1, false)), "the next session's");
        assert_eq!(window(1430), Some((1430, 1620, 1, true)));
        assert_eq!(window(1500 + 121), None);
    }
}
