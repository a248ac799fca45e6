//! How often times may be held without a payment. Each account, device and network has some free in
//! a day; after each further one the pause grows by the same time. Who has paid once has no limit.

use std::num::NonZeroU32;
use std::str::FromStr;

use kernel::Timestamp;

/// How long an unpaid hold counts, in minutes.
pub const WINDOW_MINUTES: i64 = 24 * 60;
const SECONDS_PER_MINUTE: i64 = 60;

/// Unpaid holds of one account, device or network in the last day, whose time is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnpaidCount {
    /// How many.
    pub count: i64,
    /// When the last of them was requested.
    pub last_at: Option<Timestamp>,
}

/// What is known of the client that asks for a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnpaidHolds {
    /// Whether the account has ever paid.
    pub has_paid: bool,
    /// Those of the account.
    pub account: UnpaidCount,
    /// Those of the device.
    pub device: UnpaidCount,
    /// Those of the network.
    pub network: UnpaidCount,
}

/// One limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldLimit {
    /// Holds in a day without a pause.
    pub free: NonZeroU32,
    /// By how many seconds the pause grows with each further one.
    pub pause_seconds: u32,
}

/// A limit is not written as `free/pause in seconds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it must be two numbers, free in a day and seconds of pause, for example 6/1200")]
pub struct InvalidHoldLimit;

impl FromStr for HoldLimit {
    type Err = InvalidHoldLimit;

    fn from_str(text: &str) -> Result<Self, InvalidHoldLimit> {
        let (free, pause) = text.split_once('/').ok_or(InvalidHoldLimit)?;
        match (free.trim().parse(), pause.trim().parse()) {
            (Ok(free), Ok(pause_seconds)) => Ok(Self { free, pause_seconds }),
            _ => Err(InvalidHoldLimit),
        }
    }
}

impl HoldLimit {
    /// A limit of so many in a day, with a pause that grows by so many seconds.
    #[must_use]
    pub const fn new(free: u32, pause_seconds: u32) -> Self {
        let free = match NonZeroU32::new(free) {
            Some(free) => free,
            None => NonZeroU32::MIN,
        };
        Self { free, pause_seconds }
    }

    /// When the next hold may be asked for; `None` at once.
    fn next_at(self, unpaid: UnpaidCount) -> Option<Timestamp> {
        let over = unpaid.count.saturating_sub(i64::from(self.free.get())).saturating_add(1);
        let pause = i64::from(self.pause_seconds).saturating_mul(over.max(0));
        // No hold counts longer than a day, and neither does a pause last.
        unpaid.last_at.map(|last| last.plus_seconds(pause.min(WINDOW_MINUTES * SECONDS_PER_MINUTE)))
    }
}

/// The limits of a practice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldLimits {
    /// Of an account.
    pub account: HoldLimit,
    /// Of a device: a browser that has ever been signed in.
    pub device: HoldLimit,
    /// Of a network, in which there may be hundreds of people.
    pub network: HoldLimit,
}

impl HoldLimits {
    /// In how many minutes the next time may be held; `None` if it may be now.
    #[must_use]
    pub fn wait_minutes(&self, unpaid: &UnpaidHolds, now: Timestamp) -> Option<i32> {
        if unpaid.has_paid {
            return None;
        }
        let pairs = [
            (self.account, unpaid.account),
            (self.device, unpaid.device),
            (self.network, unpaid.network),
        ];
        let next_at =
            pairs.into_iter().filter_map(|(limit, unpaid)| limit.next_at(unpaid)).max()?;
        let seconds = next_at.seconds_since(now);
        let minutes = seconds.saturating_add(SECONDS_PER_MINUTE - 1) / SECONDS_PER_MINUTE;
        (seconds > 0).then(|| i32::try_from(minutes).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::{HoldLimit, HoldLimits, InvalidHoldLimit, UnpaidCount, UnpaidHolds};
    use kernel::Timestamp;

    const LIMITS: HoldLimits = HoldLimits {
        account: HoldLimit::new(3, 600),
        device: HoldLimit::new(4, 600),
        network: HoldLimit::new(100, 2),
    };

    fn unpaid(count: i64) -> UnpaidCount {
        UnpaidCount { count, last_at: Some(Timestamp::EPOCH) }
    }

    fn wait(unpaid: UnpaidHolds, minutes_later: i64) -> Option<i32> {
        LIMITS.wait_minutes(&unpaid, Timestamp::EPOCH.plus_minutes(minutes_later))
    }

    #[test]
    fn the_pause_rises_slowly_with_each_unpaid_hold() {
        let of = |count| wait(UnpaidHolds { account: unpaid(count), ..Default::default() }, 0);
        assert_eq!([0, 1, 2, 3, 4, 5].map(of), [None, None, None, Some(10), Some(20), Some(30)]);
        assert_eq!(of(100_000), Some(24 * 60), "never longer than a day");
        let later =
            |minutes| wait(UnpaidHolds { account: unpaid(4), ..Default::default() }, minutes);
        assert_eq!([0, 19, 20].map(later), [Some(20), Some(1), None]);
    }

    #[test]
    fn the_longest_of_all_pauses_counts_and_none_for_who_has_paid() {
        let mut holds = UnpaidHolds {
            account: unpaid(3),
            device: unpaid(5),
            network: unpaid(160),
            has_paid: false,
        };
        assert_eq!(wait(holds, 0), Some(20));
        holds.network = unpaid(1_000);
        assert_eq!(wait(holds, 0), Some(31));
        holds.has_paid = true;
        assert_eq!(wait(holds, 0), None);
    }

    #[test]
    fn a_limit_is_two_numbers() {
        assert_eq!("6/1200".parse(), Ok(HoldLimit::new(6, 1200)));
        for wrong in ["6", "0/1", "a/b", "6/-1", ""] {
            assert_eq!(wrong.parse::<HoldLimit>(), Err(InvalidHoldLimit), "{wrong}");
        }
    }
}
