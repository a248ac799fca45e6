//! A client's request for a refund: until when it can be asked for, and until when it is answered.

use kernel::id::{Booking, Customer, RefundRequest as RefundRequestKind};
use kernel::{Id, Timestamp};

use super::fact::Amount;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// How long after the last session a refund can be asked for, as the consent promises.
const ASK_FOR: i64 = 48 * HOUR;
/// How long after it was asked for it is to be answered.
const ANSWER_WITHIN: i64 = 48 * HOUR;
/// How long after it was asked for granted money is to be back at the latest.
const CLOSE_WITHIN: i64 = 30 * DAY;
/// How many days a week has on which banks work.
const BANK_DAYS: i64 = 5;
const WEEK_DAYS: i64 = 7;

kernel::words! {
    /// Where a request stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RequestState {
        /// It waits for an answer.
        Open = "open",
        /// Money goes back.
        Granted = "granted",
        /// No money goes back.
        Declined = "declined",
    }
}

/// A request, with what only its client and staff read.
#[derive(Clone, PartialEq, Eq)]
pub struct RefundRequest {
    /// Its id, which is that of its booking's only request.
    pub request_id: Id<RefundRequestKind>,
    /// Its number.
    pub number: i64,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The account that asked.
    pub customer_id: Id<Customer>,
    /// In the client's words; may be empty.
    pub reason: String,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// Until when it is dealt with.
    pub deadlines: Deadlines,
    /// Where it stands.
    pub state: RequestState,
    /// What goes back, of a granted one.
    pub amount: Option<Amount>,
    /// What the practice wrote to the client; empty while it is open.
    pub answer: String,
    /// When it was answered.
    pub answered_at: Option<Timestamp>,
}

impl std::fmt::Debug for RefundRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RefundRequest")
            .field("request_id", &self.request_id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl RefundRequest {
    /// Its number as people say it.
    #[must_use]
    pub fn shown_number(&self) -> String {
        format!("R-{}", self.number)
    }
}

/// When a refund of a booking can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskingTime {
    /// From when on: the start of the first session.
    pub from: Timestamp,
    /// Until when, exclusively: 48 hours after the last session.
    pub until: Timestamp,
}

/// Where a moment lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the first session.
    TooEarly,
    /// A refund can be asked for.
    InTime,
    /// The time is over.
    TooLate,
}

impl AskingTime {
    /// The time of a booking whose first session begins and whose last one ends then.
    #[must_use]
    pub fn of(first_starts_at: Timestamp, last_ends_at: Timestamp) -> Self {
        Self { from: first_starts_at, until: last_ends_at.plus_seconds(ASK_FOR) }
    }

    /// Where a moment lies.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Moment {
        if now < self.from {
            Moment::TooEarly
        } else if now < self.until {
            Moment::InTime
        } else {
            Moment::TooLate
        }
    }
}

/// Until when a request is dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Until when it is to be answered.
    pub answer_by: Timestamp,
    /// Until when granted money is to be back.
    pub close_by: Timestamp,
}

impl Deadlines {
    /// Those of a request of this moment, by the days that the practice promises for a refund.
    #[must_use]
    pub fn of(asked_at: Timestamp, promised_days: i64) -> Self {
        let answer_by = asked_at.plus_seconds(ANSWER_WITHIN);
        let promised = answer_by.plus_seconds(promised_days.saturating_mul(DAY));
        Self { answer_by, close_by: promised.min(asked_at.plus_seconds(CLOSE_WITHIN)) }
    }

    /// Until when money is back that is granted at this moment: as was promised, or the promised
    /// days later where the answer is late. A day that has passed is no promise.
    #[must_use]
    pub fn back_by(self, granted_at: Timestamp, promised_days: i64) -> Timestamp {
        if granted_at <= self.answer_by {
            return self.close_by;
        }
        let days = promised_days.min(CLOSE_WITHIN / DAY);
        self.close_by.max(granted_at.plus_seconds(days.saturating_mul(DAY)))
    }
}

/// The days that a practice's words promise for a refund: the largest number in them, of days or of
/// weeks. Where they are days of business or work, the weekends between them count as well.
#[must_use]
pub fn promised_days(words: &str) -> i64 {
    let numbers = words.split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse().ok());
    let days: i64 = numbers.max().unwrap_or(CLOSE_WITHIN / DAY).min(CLOSE_WITHIN / DAY);
    let words = words.to_lowercase();
    if words.contains("week") && !words.contains("day") {
        return days.saturating_mul(WEEK_DAYS).min(CLOSE_WITHIN / DAY);
    }
    if words.contains("business") || words.contains("working") {
        let weekends = days.saturating_add(BANK_DAYS - 1) / BANK_DAYS;
        days.saturating_add(weekends.saturating_mul(2))
    } else {
        days
    }
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::{AskingTime, DAY, Deadlines, HOUR, Moment, promised_days};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_764_547_200 + seconds).unwrap()
    }

    #[test]
    fn the_time_begins_with_the_first_session_and_ends_at_the_second() {
        let time = AskingTime::of(at(0), at(HOUR));
        let end = HOUR + 48 * HOUR;
        assert_eq!(time.at(at(-1)), Moment::TooEarly);
        assert_eq!(time.at(at(0)), Moment::InTime);
        assert_eq!(time.at(at(end - 1)), Moment::InTime);
        assert_eq!(time.at(at(end)), Moment::TooLate);
    }

    #[test]
    fn a_request_is_answered_in_two_days_and_closed_in_the_promised_ones_or_a_month() {
        let of = |days| Deadlines::of(at(0), days);
        assert_eq!(of(7).answer_by, at(2 * DAY));
        assert_eq!(of(7).close_by, at(9 * DAY));
        assert_eq!(of(28).close_by, at(30 * DAY));
        assert_eq!(of(i64::MAX).close_by, at(30 * DAY));
    }

    #[test]
    fn what_is_granted_late_is_back_the_promised_days_after_that() {
        let asked = Deadlines::of(at(0), 7);
        assert_eq!(asked.back_by(at(DAY), 7), asked.close_by);
        assert_eq!(asked.back_by(asked.answer_by, 7), asked.close_by);
        assert_eq!(asked.back_by(at(3 * DAY), 7), at(10 * DAY));
        assert_eq!(asked.back_by(at(40 * DAY), 7), at(47 * DAY));
        // A month at most, by a practice that names no days.
        assert_eq!(Deadlines::of(at(0), 30).back_by(at(DAY), 30), at(30 * DAY));
    }

    #[test]
    fn the_practices_words_say_how_many_days() {
        assert_eq!(promised_days("5-7 business days"), 7 + 4);
        assert_eq!(promised_days("3 to 5 Working days"), 5 + 2);
        assert_eq!(promised_days("a week (7 days)"), 7);
        assert_eq!(promised_days("1 to 2 weeks"), 14);
        assert_eq!(promised_days("8 weeks"), 30);
        assert_eq!(promised_days("soon"), 30);
        assert_eq!(promised_days("99999999999999999999 days"), 30);
        assert_eq!(promised_days("400 days"), 30);
    }
}
