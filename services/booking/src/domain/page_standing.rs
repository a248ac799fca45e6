//! What a key of a booking's page shows: all of it, its money only, or nothing any more.

use kernel::Timestamp;

/// How long after the last session's end a page still shows the session, in minutes.
pub const SHOWN_AFTER_MINUTES: i64 = 120;
/// How long after the last movement of money a page shows the money, in minutes.
pub const MONEY_SHOWN_MINUTES: i64 = 60 * 24 * 60;

/// What a key shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStanding {
    /// All that the page has.
    Whole,
    /// Sum, refund and receipt; no service, practitioner, time, name or room.
    MoneyOnly,
    /// Nothing, and why.
    Ended(PageEnd),
}

/// Why a key shows nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEnd {
    /// An account owns the booking.
    Adopted,
    /// A later mail has a new key.
    Renewed,
    /// The money is settled since long ago. No new key is made.
    Over,
}

/// What decides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFacts {
    /// Why the key itself has ended, if it has.
    pub ended: Option<PageEnd>,
    /// Whether its time is held, or its sessions take place or have taken place.
    pub is_on: bool,
    /// When the last session ends that was not cancelled; `None` when all were.
    pub last_session_ends_at: Option<Timestamp>,
    /// When money last moved, or was decided about.
    pub money_moved_at: Timestamp,
    /// Whether money is on its way back, or is owed.
    pub is_money_due: bool,
}

impl PageFacts {
    /// What the key shows at a moment.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> PageStanding {
        if let Some(why) = self.ended {
            return PageStanding::Ended(why);
        }
        if self.shows_session(now) {
            return PageStanding::Whole;
        }
        let is_over = self.money_moved_at.plus_minutes(MONEY_SHOWN_MINUTES) <= now;
        if is_over && !self.is_money_due {
            return PageStanding::Ended(PageEnd::Over);
        }
        PageStanding::MoneyOnly
    }

    fn shows_session(&self, now: Timestamp) -> bool {
        let ends_at = self.last_session_ends_at.filter(|_| self.is_on);
        ends_at.is_some_and(|at| now < at.plus_minutes(SHOWN_AFTER_MINUTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000).unwrap().plus_minutes(minutes)
    }

    /// A session from 0 to 60, whose money moved two days before.
    fn facts(is_on: bool) -> PageFacts {
        PageFacts {
            ended: None,
            is_on,
            last_session_ends_at: Some(at(60)),
            money_moved_at: at(-2 * DAY),
            is_money_due: false,
        }
    }

    #[test]
    fn a_session_is_shown_until_two_hours_after_its_end() {
        assert_eq!(facts(true).standing(at(-DAY)), PageStanding::Whole);
        assert_eq!(facts(true).standing(at(179)), PageStanding::Whole);
        assert_eq!(facts(true).standing(at(180)), PageStanding::MoneyOnly);
    }

    #[test]
    fn what_does_not_take_place_shows_its_money_only() {
        assert_eq!(facts(false).standing(at(-DAY)), PageStanding::MoneyOnly);
        let all_cancelled = PageFacts { last_session_ends_at: None, ..facts(true) };
        assert_eq!(all_cancelled.standing(at(-DAY)), PageStanding::MoneyOnly);
    }

    #[test]
    fn sixty_days_after_the_last_movement_of_money_it_ends() {
        let over = at(58 * DAY);
        let cancelled = facts(false);
        assert_eq!(cancelled.standing(over.plus_minutes(-1)), PageStanding::MoneyOnly);
        assert_eq!(cancelled.standing(over), PageStanding::Ended(PageEnd::Over));
        let owed = PageFacts { is_money_due: true, ..cancelled };
        assert_eq!(owed.standing(over), PageStanding::MoneyOnly);
        // Paid long before, a session that is still to come is shown.
        let far = PageFacts { last_session_ends_at: Some(at(90 * DAY)), ..facts(true) };
        assert_eq!(far.standing(over), PageStanding::Whole);
    }

    #[test]
    fn an_ended_key_shows_nothing_whatever_the_booking_is() {
        for why in [PageEnd::Adopted, PageEnd::Renewed] {
            for is_on in [true, false] {
                let ended = PageFacts { ended: Some(why), ..facts(is_on) };
                assert_eq!(ended.standing(at(0)), PageStanding::Ended(why), "{is_on}");
            }
        }
    }
}
