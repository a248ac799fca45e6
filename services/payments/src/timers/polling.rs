//! When an order or a payment link is polled: often at first, while its payer waits; at 15 minutes
//! in any case; then rarely, until 72 hours have passed. The times count from the last restart of
//! the schedule.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use serde_json::{Value, json};

/// Polls an order's payments; the subject is the booking.
pub const POLL_ORDER: &str = "poll-order";

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// The first pause where webhooks are heard, by its place in [`PAUSES`]: the provider tells sooner.
const UNHURRIED_STEP: usize = 3;
/// Seconds between the first polls.
const PAUSES: [i64; 8] = [2, 5, 10, 20, 40, MINUTE, 5 * MINUTE, 15 * MINUTE];
/// The pause after those, for two hours; and the longest pause after a failed poll.
const PAUSE_LATER: i64 = 15 * MINUTE;
/// When every unpaid order is polled, whatever its pauses: checkouts have ended by then, and a
/// bank's "failed" often becomes a capture.
const FORCED_POLL_AFTER: i64 = 15 * MINUTE;
/// Banks may settle a payment for three days, and its order captures it for as long.
const POLL_FOR: i64 = 72 * HOUR;
/// How long the provider has to capture a payment automatically.
pub const CAPTURED_WITHIN: i64 = MINUTE;
/// How long before a hold's end its order is polled, so that money that arrived in time counts as
/// in time; and how long after it.
const BEFORE_HOLD_END: i64 = 10;
const AFTER_HOLD_END: i64 = 2;

/// What else a poll's time depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Until when the booking's time is held, if that is known.
    pub held_until: Option<Timestamp>,
    /// Until when a payment link takes money; polling goes on for as long after it as after a
    /// restart.
    pub payable_until: Option<Timestamp>,
}

/// The state of an order's polling. It is the timer's payload, so it also shows whether the timer
/// has changed since a poll began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollSchedule {
    /// How many polls succeeded since the last restart.
    step: usize,
    /// How many failed since the last success.
    failed: usize,
    /// When the schedule was last restarted: by the order, a claim, the checkout's answer or a
    /// webhook.
    since: Timestamp,
}

impl PollSchedule {
    /// The first poll after a restart.
    #[must_use]
    pub fn first(now: Timestamp) -> Self {
        Self { step: 0, failed: 0, since: now }
    }

    /// The first poll of a new order while webhooks are heard.
    #[must_use]
    pub fn unhurried(now: Timestamp) -> Self {
        Self { step: UNHURRIED_STEP, ..Self::first(now) }
    }

    /// Reads a timer's payload. An unreadable one counts as a restart long ago and is polled once.
    #[must_use]
    pub fn from_payload(payload: &Value) -> Self {
        let number = |field: &str| {
            let number = payload.get(field).and_then(Value::as_u64).unwrap_or(0);
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let since = payload.get("since").and_then(Value::as_i64).and_then(Timestamp::from_micros);
        let since = since.unwrap_or(Timestamp::EPOCH);
        Self { step: number("step"), failed: number("failed"), since }
    }

    /// The timer's payload.
    #[must_use]
    pub fn payload(self) -> Value {
        json!({ "step": self.step, "failed": self.failed, "since": self.since.micros() })
    }

    /// The schedule after a successful poll.
    #[must_use]
    pub fn answered(self) -> Self {
        Self { step: self.step.saturating_add(1), failed: 0, ..self }
    }

    /// The schedule after a failed poll.
    #[must_use]
    pub fn failed(self) -> Self {
        Self { failed: self.failed.saturating_add(1), ..self }
    }

    /// Whether the pause before this poll may be longer than the rest of a hold.
    #[must_use]
    pub fn is_slow(self, now: Timestamp) -> bool {
        self.pause(now) > MINUTE
    }

    /// Whether a payment that is still authorised was missed by the provider, which captures ours
    /// automatically within seconds. A restart in the future was noted by a clock that has been set
    /// back since, so nothing is known of its age.
    #[must_use]
    pub fn is_past_capture(self, now: Timestamp) -> bool {
        !(0..CAPTURED_WITHIN).contains(&now.seconds_since(self.since))
    }

    fn pause(self, now: Timestamp) -> i64 {
        let age = now.seconds_since(self.since);
        let later = if age < 2 * HOUR {
            PAUSE_LATER
        } else if age < 6 * HOUR {
            HOUR
        } else {
            6 * HOUR
        };
        let pause = PAUSES.get(self.step).copied().unwrap_or(later);
        match self.failed.checked_sub(1) {
            None => pause,
            // The same pause as before, with a lower and an upper limit.
            Some(before) => {
                let least = PAUSES.get(before).copied().unwrap_or(PAUSE_LATER);
                pause.max(least).min(PAUSE_LATER)
            }
        }
    }

    /// When the poll is due; `None` when polling is over. A hold that ends in between moves the
    /// poll to its end.
    #[must_use]
    pub fn due(self, now: Timestamp, bounds: Bounds) -> Option<Timestamp> {
        let from = bounds.payable_until.map_or(self.since, |until| until.max(self.since));
        if now.seconds_since(from) >= POLL_FOR {
            return None;
        }
        let due = now.plus_seconds(self.pause(now));
        let forced =
            Some(self.since.plus_seconds(FORCED_POLL_AFTER)).filter(|forced| *forced > now);
        let end = bounds.held_until.filter(|until| *until > now);
        let before = end.map(|until| until.plus_seconds(-BEFORE_HOLD_END)).filter(|it| *it > now);
        let after = end.map(|until| until.plus_seconds(AFTER_HOLD_END));
        Some([forced, before, after].into_iter().flatten().fold(due, Timestamp::min))
    }
}

/// Sets the timer of a collection's next poll, or ends it after 72 hours.
pub async fn set(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    schedule: PollSchedule,
    now: Timestamp,
    bounds: Bounds,
) -> Result<(), StoreError> {
    match schedule.due(now, bounds) {
        Some(due) => {
            tx.set_timer(POLL_ORDER, &booking_id.to_string(), due, schedule.payload()).await
        }
        None => end(tx, booking_id).await,
    }
}

/// Ends the polling of an order.
pub async fn end(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), StoreError> {
    tx.end_timer(POLL_ORDER, &booking_id.to_string()).await
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;
    use serde_json::json;

    use super::{Bounds, HOUR, MINUTE, POLL_FOR, PollSchedule};

    fn held(until: Timestamp) -> Bounds {
        Bounds { held_until: Some(until), ..Bounds::default() }
    }

    const START: Timestamp = Timestamp::EPOCH;

    #[test]
    fn an_order_is_polled_often_then_rarely_then_never() {
        let (mut schedule, mut now) = (PollSchedule::first(START), START);
        let mut times = Vec::new();
        while let Some(due) = schedule.due(now, Bounds::default()) {
            now = due;
            times.push(now.seconds());
            schedule = schedule.answered();
        }
        assert_eq!(times[..8], [2, 7, 17, 37, 77, 137, 437, 900]);
        let between = |from: i64, to: i64| {
            times.iter().filter(|time| (from * HOUR..to * HOUR).contains(*time)).count()
        };
        assert_eq!(between(1, 2), 4, "every quarter of an hour");
        assert_eq!(between(3, 6), 3, "every hour");
        assert_eq!(between(12, 72), 10, "every six hours");
        assert!(now.seconds() >= POLL_FOR && now.seconds() < POLL_FOR + 6 * HOUR);
    }

    #[test]
    fn while_webhooks_are_heard_a_new_order_is_polled_later_and_still_before_its_hold_ends() {
        let (mut schedule, mut now) = (PollSchedule::unhurried(START), START);
        let mut times = Vec::new();
        while let Some(due) = schedule.due(now, Bounds::default()).filter(|_| times.len() < 5) {
            now = due;
            times.push(now.seconds());
            schedule = schedule.answered();
        }
        assert_eq!(times, [20, 60, 120, 420, 900]);
        for (left, wanted) in [(900, 20), (30, 20), (25, 15), (11, 1), (9, 11)] {
            let due = PollSchedule::unhurried(START).due(START, held(START.plus_seconds(left)));
            assert_eq!(due.map(Timestamp::seconds), Some(wanted), "{left} seconds before its end");
        }
    }

    #[test]
    fn a_clock_that_was_a_day_ahead_delays_no_capture() {
        let schedule = PollSchedule::first(START);
        assert!(!schedule.is_past_capture(START.plus_seconds(MINUTE - 1)));
        assert!(schedule.is_past_capture(START.plus_seconds(MINUTE)));
        assert!(schedule.is_past_capture(START.plus_seconds(-24 * HOUR)), "it was set back since");
    }

    /// Every created or attempted order is polled at 15 minutes, then every 6 h up to 72 h; lesson
    /// 20: hyperswitch's `payment_sync` ends after 26 minutes.
    #[test]
    fn every_order_is_swept_at_fifteen_minutes_and_asked_for_until_seventy_two_hours() {
        // After successes, failures or downtime.
        for (step, failed, asleep) in [(0, 0, 1), (3, 0, 40), (7, 0, 437), (7, 5, 700), (2, 9, 899)]
        {
            let schedule = PollSchedule { step, failed, ..PollSchedule::first(START) };
            let (mut schedule, mut now) = (schedule, START.plus_seconds(asleep));
            while let Some(due) =
                schedule.due(now, Bounds::default()).filter(|due| due.seconds() < 900)
            {
                now = due;
                schedule = schedule.answered();
            }
            assert_eq!(
                schedule.due(now, Bounds::default()).map(Timestamp::seconds),
                Some(900),
                "{step} {failed}"
            );
        }
        let late = PollSchedule { step: 30, ..PollSchedule::first(START) };
        let last = START.plus_seconds(POLL_FOR - 1);
        assert!(late.due(last, Bounds::default()).is_some(), "the 72nd hour is still a part of it");
        assert_eq!(late.due(START.plus_seconds(POLL_FOR), Bounds::default()), None);
        // No pause is longer than six hours.
        let pauses = (0..72).map(|hour| late.pause(START.plus_seconds(hour * HOUR)));
        assert!(pauses.max() == Some(6 * HOUR));
    }

    #[test]
    fn a_question_that_failed_is_asked_again_and_leads_no_further() {
        let (mut schedule, mut now) = (PollSchedule::first(START).answered(), START);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            schedule = schedule.failed();
            let due = schedule.due(now, Bounds::default()).unwrap();
            pauses.push(due.seconds_since(now));
            now = due;
        }
        assert_eq!(pauses, [5, 5, 10, 20, 40, 60, 300, 460, 900], "and at 15 minutes");
        assert_eq!(schedule.answered(), PollSchedule::first(START).answered().answered());
        let late = PollSchedule { step: 30, ..PollSchedule::first(START) };
        let now = START.plus_seconds(20 * HOUR);
        let due = late.failed().due(now, Bounds::default()).unwrap();
        assert_eq!(due.seconds_since(now), 15 * MINUTE, "not six hours");
    }

    #[test]
    fn the_end_of_a_hold_is_a_time_to_ask() {
        let schedule = PollSchedule { step: 7, ..PollSchedule::first(START) };
        let now = START.plus_seconds(437);
        let until = START.plus_seconds(600);
        let before = until.plus_seconds(-10);
        assert_eq!(schedule.due(now, held(until)), Some(before), "money in time is in time here");
        assert_eq!(schedule.due(before, held(until)), Some(until.plus_seconds(2)));
        assert_eq!(
            schedule.due(now, held(START)),
            schedule.due(now, Bounds::default()),
            "it is over"
        );
        let far = START.plus_seconds(9 * HOUR);
        assert_eq!(
            schedule.due(now, held(far)),
            schedule.due(now, Bounds::default()),
            "there is time"
        );
    }

    #[test]
    fn an_open_link_is_polled_for_as_long_after_its_end_as_an_order() {
        let bounds = |days: i64| Bounds {
            payable_until: Some(START.plus_seconds(days * 24 * HOUR)),
            ..Bounds::default()
        };
        let schedule = PollSchedule { step: 30, ..PollSchedule::first(START) };
        let day = |number: i64| START.plus_seconds(number * 24 * HOUR);
        assert!(schedule.due(day(9), bounds(7)).is_some());
        assert_eq!(schedule.due(day(10), bounds(7)), None);
        assert_eq!(schedule.due(day(3), bounds(0)), None, "it ended before the last restart");
    }

    #[test]
    fn the_provider_has_a_minute_to_capture_by_itself() {
        let schedule = PollSchedule::first(START).answered();
        assert!(!schedule.is_past_capture(START.plus_seconds(59)));
        assert!(schedule.is_past_capture(START.plus_seconds(60)));
    }

    #[test]
    fn a_timer_stores_its_step() {
        let schedule = PollSchedule::first(START.plus_seconds(7)).answered().failed();
        assert_eq!(PollSchedule::from_payload(&schedule.payload()), schedule);
        assert_ne!(
            PollSchedule::from_payload(&PollSchedule::first(START.plus_seconds(8)).payload()),
            schedule
        );
        assert_eq!(PollSchedule::from_payload(&json!({})), PollSchedule::first(START));
    }
}
