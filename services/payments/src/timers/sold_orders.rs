//! When the order of a verified payment is polled again: a payer may pay twice, and neither a
//! webhook nor the nightly list is certain to report it.
//!
//! After an hour, after six, then daily at an hour of the booking's own, once on the session's eve
//! and once when the session and the banks' days are over. All polls together are at most one a
//! second, and fewer while the provider answers 429.

use eventstore::{StoreError, Tx, id_of};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use serde_json::{Value, json};

/// Polls a sold order's payments; the subject is the booking.
pub const ASK_SOLD_ORDER: &str = "ask-sold-order";

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long after the sale the first polls are due, and over how many seconds they spread.
const FIRST: [(i64, i64); 2] = [(HOUR, 10 * MINUTE), (6 * HOUR, HOUR)];
/// How long before the session's start an order is polled, so that a refund is reported before it.
const BEFORE_SESSION: i64 = 3 * HOUR;
/// How long after a sale a bank may still settle a payment, as in `polling`.
const LATE_CAPTURE_WINDOW: i64 = 72 * HOUR;
/// How long after a start the session is over.
const SESSION_OVER: i64 = 3 * HOUR;
/// The pause after a failed poll, multiplied by the number of failures.
const RETRY_STEP: i64 = 15 * MINUTE;
/// The longest pause after a failed poll.
const RETRY_MAX: i64 = 6 * HOUR;

/// The state of a sold order's polling: its timer's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecheckSchedule {
    /// When the order was sold.
    sold_at: Timestamp,
    /// How many polls succeeded.
    step: usize,
    /// How many failed since the last success.
    failed: i64,
    /// Whether its time in the shared rate limit is reserved.
    is_reserved: bool,
}

impl RecheckSchedule {
    /// The first poll of an order that was sold now.
    #[must_use]
    pub fn first(now: Timestamp) -> Self {
        Self { sold_at: now, step: 0, failed: 0, is_reserved: false }
    }

    /// Reads a timer's payload; an unreadable one counts as a sale long ago.
    #[must_use]
    pub fn from_payload(payload: &Value) -> Self {
        let number = |field: &str| payload.get(field).and_then(Value::as_i64);
        let sold_at = number("sold_at").and_then(Timestamp::from_micros);
        Self {
            sold_at: sold_at.unwrap_or(Timestamp::EPOCH),
            step: usize::try_from(number("step").unwrap_or(0)).unwrap_or(usize::MAX),
            failed: number("failed").unwrap_or(0),
            is_reserved: payload.get("placed").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// The timer's payload.
    #[must_use]
    pub fn payload(self) -> Value {
        json!({
            "sold_at": self.sold_at.micros(),
            "step": self.step,
            "failed": self.failed,
            "placed": self.is_reserved,
        })
    }

    /// Whether it may be polled right away.
    #[must_use]
    pub fn is_reserved(self) -> bool {
        self.is_reserved
    }

    /// The same poll with a reserved time.
    #[must_use]
    pub fn reserved(self) -> Self {
        Self { is_reserved: true, ..self }
    }

    /// The schedule after a successful poll.
    #[must_use]
    pub fn answered(self) -> Self {
        Self { step: self.step.saturating_add(1), failed: 0, is_reserved: false, ..self }
    }

    /// The schedule after a failed poll.
    #[must_use]
    pub fn failed(self) -> Self {
        Self { failed: self.failed.saturating_add(1), is_reserved: false, ..self }
    }

    /// When it is due; `None` when the session and the days of late money are over. Without a start
    /// (an older booking service does not report it) only those days count.
    #[must_use]
    pub fn due(
        self,
        booking_id: Id<Booking>,
        now: Timestamp,
        starts_at: Option<Timestamp>,
    ) -> Option<Timestamp> {
        if self.failed > 0 {
            let pause = self.failed.saturating_mul(RETRY_STEP).min(RETRY_MAX);
            return Some(now.plus_seconds(pause));
        }
        let over = starts_at.map(|start| start.plus_seconds(SESSION_OVER));
        let money_over = self.sold_at.plus_seconds(LATE_CAPTURE_WINDOW);
        let end = over.map_or(money_over, |over| over.max(money_over));
        if now >= end {
            return None;
        }
        let eve = starts_at.map(|start| start.plus_seconds(-BEFORE_SESSION)).filter(|it| *it > now);
        let regular = self.regular(booking_id, now);
        Some([Some(end), eve].into_iter().flatten().fold(regular, Timestamp::min))
    }

    /// After one hour, after six hours, then daily at the booking's own second of the day.
    fn regular(self, booking_id: Id<Booking>, now: Timestamp) -> Timestamp {
        let own = own_second(booking_id);
        if let Some((after, spread)) = FIRST.get(self.step) {
            return self.sold_at.plus_seconds(after + own * spread / DAY).max(now);
        }
        let today = now.seconds().rem_euclid(DAY);
        let wait = (own - today).rem_euclid(DAY);
        now.plus_seconds(if wait == 0 { DAY } else { wait })
    }
}

/// A booking's own second of the day. Bookings are spread evenly over the hours.
fn own_second(booking_id: Id<Booking>) -> i64 {
    let spread: Id<Booking> = id_of(&[ASK_SOLD_ORDER, &booking_id.to_string()]);
    let bits = spread.uuid().as_u128() & u128::from(u32::MAX);
    i64::try_from(bits).unwrap_or(0) % DAY
}

/// Begins the polling of an order that was sold now; the first poll is an hour later.
pub async fn begin(tx: &mut Tx, booking_id: Id<Booking>, now: Timestamp) -> Result<(), StoreError> {
    set(tx, booking_id, RecheckSchedule::first(now), now, None).await
}

/// Sets the timer of the next poll, or ends the polling.
pub async fn set(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    schedule: RecheckSchedule,
    now: Timestamp,
    starts_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    let subject = booking_id.to_string();
    match schedule.due(booking_id, now, starts_at) {
        Some(due) => tx.set_bulk_timer(ASK_SOLD_ORDER, &subject, due, schedule.payload()).await,
        None => tx.end_timer(ASK_SOLD_ORDER, &subject).await,
    }
}

#[cfg(test)]
mod tests {
    use eventstore::id_of;
    use kernel::Timestamp;
    use kernel::id::Booking;

    use super::{DAY, HOUR, MINUTE, RecheckSchedule};

    const START: Timestamp = Timestamp::EPOCH;

    /// The hours at which a booking's order is polled if its session begins after this many hours.
    fn hours(session: Option<i64>) -> Vec<i64> {
        let booking = id_of::<Booking>(&["a booking"]);
        let starts_at = session.map(|hours| START.plus_seconds(hours * HOUR));
        let (mut schedule, mut now, mut hours) = (RecheckSchedule::first(START), START, Vec::new());
        while let Some(due) = schedule.due(booking, now, starts_at) {
            assert!(due > now, "it goes on");
            now = due;
            hours.push(now.seconds() / HOUR);
            schedule = schedule.answered();
        }
        hours
    }

    #[test]
    fn an_order_is_asked_for_until_its_session_and_the_banks_days_are_over() {
        let asked = hours(Some(30 * 24));
        assert_eq!(asked[0], 1);
        assert!((6..=7).contains(&asked[1]), "{asked:?}");
        assert!(asked.windows(2).all(|pair| pair[1] - pair[0] <= 24), "{asked:?}");
        assert!(asked.contains(&(30 * 24 - 3)), "once before the session: {asked:?}");
        assert_eq!(asked.last(), Some(&(30 * 24 + 3)), "once after it");
        assert!(asked.len() <= 2 + 30 + 3, "daily, no more: {asked:?}");
        // A session on the same day ends nothing: a bank may find money for three days.
        assert_eq!(hours(Some(5)).last(), Some(&72));
        assert!(hours(Some(5)).contains(&2), "three hours before it");
        assert_eq!(hours(None).last(), Some(&72));
    }

    #[test]
    fn questions_of_many_orders_spread_over_the_day() {
        let mut of_hour = [0_u32; 24];
        for number in 0..2_400 {
            let booking = id_of::<Booking>(&[&number.to_string()]);
            let schedule = RecheckSchedule::first(START).answered().answered();
            let due = schedule.due(booking, START.plus_seconds(9 * HOUR), None).unwrap();
            of_hour[usize::try_from(due.seconds().rem_euclid(DAY) / HOUR).unwrap()] += 1;
        }
        assert!(of_hour.iter().all(|count| (60..=140).contains(count)), "{of_hour:?}");
    }

    #[test]
    fn a_question_without_an_answer_is_asked_again_and_not_given_up() {
        let booking = id_of::<Booking>(&["a booking"]);
        let late = START.plus_seconds(400 * HOUR);
        let (mut schedule, mut pauses) = (RecheckSchedule::first(START), Vec::new());
        for _ in 0..30 {
            schedule = schedule.failed();
            pauses.push(schedule.due(booking, late, None).unwrap().seconds_since(late));
        }
        assert_eq!(pauses[..3], [15 * MINUTE, 30 * MINUTE, 45 * MINUTE]);
        assert_eq!(pauses[29], 6 * HOUR);
        assert_eq!(schedule.answered().due(booking, late, None), None, "its days are over");
    }

    #[test]
    fn a_timer_stores_its_poll() {
        let schedule = RecheckSchedule::first(START.plus_seconds(7)).answered().failed().reserved();
        assert_eq!(RecheckSchedule::from_payload(&schedule.payload()), schedule);
        assert!(
            schedule.is_reserved()
                && !schedule.answered().is_reserved()
                && !schedule.failed().is_reserved()
        );
    }
}
