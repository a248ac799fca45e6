//! Detects steps of the database's clock. A step forward would end holds and complete future
//! sessions for good, so timers wait for a person or for the clock to step back.

use std::time::Duration;

use kernel::Timestamp;
use tokio::time::Instant;

/// How far the two clocks may differ between two readings.
pub(crate) const APART_MAX: Duration = Duration::from_secs(120);
/// How long a reading is valid.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// A clock that has stepped and then runs evenly for so long is trusted: a machine that was paused
/// and corrected has to go on without a person.
const BELIEVED_AFTER: Duration = Duration::from_secs(900);

/// The database's clock compared with this process's monotonic clock.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    seen: Option<Seen>,
    stepped_at: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    theirs: Timestamp,
    ours: Instant,
    looked_at: Instant,
}

/// The result of a reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It runs as ours does, or is trusted again.
    Even,
    /// It differs by so many seconds, forwards or backwards.
    Stepped(i64),
}

impl Clock {
    /// The expected time of the database's clock; `None` before the first reading.
    pub(crate) fn expected(&self, now: Instant) -> Option<Timestamp> {
        let seen = self.seen?;
        let passed = i64::try_from(now.duration_since(seen.ours).as_micros()).ok()?;
        Timestamp::from_micros(seen.theirs.micros().checked_add(passed)?)
    }

    /// Whether it shows another time than expected.
    pub(crate) fn has_stepped(&self, theirs: Timestamp, now: Instant) -> bool {
        let apart = self.expected(now).map_or(0, |expected| theirs.seconds_since(expected));
        apart.unsigned_abs() >= APART_MAX.as_secs()
    }

    /// Whether a reading is due.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.seen.is_none_or(|it| now.duration_since(it.looked_at) >= LOOK_EVERY)
    }

    /// Compares a reading of the database's clock.
    pub(crate) fn look(&mut self, theirs: Timestamp, now: Instant) -> Found {
        let apart = self.expected(now).map_or(0, |expected| theirs.seconds_since(expected));
        if !self.has_stepped(theirs, now) {
            self.seen = Some(Seen { theirs, ours: now, looked_at: now });
            self.stepped_at = None;
            return Found::Even;
        }
        let since = *self.stepped_at.get_or_insert(now);
        if now.duration_since(since) >= BELIEVED_AFTER {
            self.seen = None;
            return self.look(theirs, now);
        }
        if let Some(seen) = &mut self.seen {
            seen.looked_at = now;
        }
        Found::Stepped(apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_790_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(START + seconds).unwrap()
    }

    /// Both clocks after a reading every five seconds for a minute.
    fn even() -> (Clock, Instant) {
        let (mut clock, begun) = (Clock::default(), Instant::now());
        for seconds in (0..=60).step_by(5) {
            assert_eq!(clock.look(at(seconds), after(begun, seconds)), Found::Even);
        }
        (clock, begun)
    }

    fn after(begun: Instant, seconds: i64) -> Instant {
        begun + Duration::from_secs(seconds.unsigned_abs())
    }

    #[test]
    fn a_clock_that_is_slow_by_a_second_in_a_minute_is_followed() {
        let (mut clock, begun) = even();
        for minutes in 2..3_000 {
            let now = after(begun, 60 * minutes);
            assert_eq!(clock.look(at(59 * minutes), now), Found::Even);
        }
    }

    #[test]
    fn a_step_is_told_until_it_is_undone() {
        for step in [86_400, -86_400, 121, -121] {
            let (mut clock, begun) = even();
            for seconds in (65..600).step_by(5) {
                let found = clock.look(at(seconds + step), after(begun, seconds));
                assert_eq!(found, Found::Stepped(step));
            }
            assert_eq!(clock.look(at(600), after(begun, 600)), Found::Even);
            assert_eq!(clock.expected(after(begun, 605)), Some(at(605)));
        }
    }

    #[test]
    fn a_step_that_stays_is_believed_after_a_quarter_of_an_hour() {
        let (mut clock, begun) = even();
        assert_eq!(clock.look(at(7_265), after(begun, 65)), Found::Stepped(7_200));
        assert_eq!(clock.look(at(8_164), after(begun, 964)), Found::Stepped(7_200));
        assert_eq!(clock.look(at(8_165), after(begun, 965)), Found::Even);
        assert_eq!(clock.expected(after(begun, 970)), Some(at(8_170)));
    }
}
