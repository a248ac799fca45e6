//! The health of consumers: how far they are behind, how long they have been stuck at one event,
//! and when to log that as an error.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::health::{Checks, ConsumerLag, EVENTS};
use runtime::metrics::catalogue::{CONSUMER_LAG, CONSUMER_LAG_AGE};
use runtime::metrics::{self, Label, Reading};
use tokio::time::Instant;

use crate::lag::Lags;

/// A consumer that is stuck for so long does not recover by itself. The error is logged again after
/// each such interval.
const FAULT_AFTER: Duration = Duration::from_secs(180);

/// The progress of a process's consumers.
#[derive(Debug, Clone, Default)]
pub struct ConsumerHealth {
    stalls: Arc<Mutex<BTreeMap<&'static str, Stall>>>,
    lags: Lags,
}

/// A consumer makes no progress, and a person has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConsumerFault {
    /// It has been stuck at one event for minutes, and all later events wait.
    #[error("{consumer} stands still before position {position}")]
    Stalled {
        /// The consumer.
        consumer: &'static str,
        /// The position of that event in the source's feed.
        position: i64,
    },
    /// It makes progress, but has had a backlog for minutes.
    #[error("{consumer} stays {events} events behind")]
    Lagging {
        /// The consumer.
        consumer: &'static str,
        /// How many events are left.
        events: i64,
    },
}

#[derive(Debug)]
struct Stall {
    position: i64,
    since: Instant,
    reported: Instant,
    tries: u32,
}

impl ConsumerHealth {
    /// Adds the consumers to the checks: the concern [`EVENTS`], and how far each is behind, as in
    /// the metrics.
    #[must_use]
    pub fn add_to(&self, checks: Checks) -> Checks {
        let (consumer_health, lags) = (self.clone(), self.lags.clone());
        let checks = checks.concern(EVENTS, move || std::future::ready(consumer_health.check()));
        let measured = self.lags.clone();
        metrics::add_source("consumers", metrics::CHEAP, move || {
            let lags = measured.list(Instant::now());
            std::future::ready(Ok(lags.into_iter().flat_map(readings).collect()))
        });
        checks.consumers(move || lags.list(Instant::now()))
    }

    /// Checks that every consumer makes progress.
    ///
    /// # Errors
    /// One has been stuck at the same event for three minutes, or has had a backlog for as long.
    pub fn check(&self) -> Result<(), ConsumerFault> {
        self.check_at(Instant::now())
    }

    fn check_at(&self, now: Instant) -> Result<(), ConsumerFault> {
        let stalls = self.stalls();
        let mut still = stalls.iter().filter(|(_, it)| now.duration_since(it.since) >= FAULT_AFTER);
        if let Some((consumer, stall)) = still.next() {
            return Err(ConsumerFault::Stalled { consumer, position: stall.position });
        }
        match self.lags.backlog(now, FAULT_AFTER) {
            None => Ok(()),
            Some((consumer, events)) => Err(ConsumerFault::Lagging { consumer, events }),
        }
    }

    /// Records how many events a consumer has left, and how long the oldest has waited if that is
    /// known. Returns how long it has had a backlog if that is to be logged now.
    pub(crate) fn record_lag(
        &self,
        consumer: &'static str,
        events: (i64, Option<Duration>),
    ) -> Option<Duration> {
        self.lags.set(consumer, events, (Instant::now(), FAULT_AFTER))
    }

    /// Records that it made progress or has nothing left.
    pub(crate) fn advanced(&self, consumer: &'static str) {
        self.stalls().remove(consumer);
    }

    /// Records that it could not handle the event at this position. Returns for how long and how
    /// often it has tried, if that is to be logged now.
    pub(crate) fn stalled(
        &self,
        consumer: &'static str,
        position: i64,
        now: Instant,
    ) -> Option<(Duration, u32)> {
        let mut stalls = self.stalls();
        let known = stalls.remove(consumer).filter(|known| known.position == position);
        let mut known = known.unwrap_or(Stall { position, since: now, reported: now, tries: 0 });
        known.tries = known.tries.saturating_add(1);
        let is_due = now.duration_since(known.reported) >= FAULT_AFTER;
        if is_due {
            known.reported = now;
        }
        let told = is_due.then(|| (now.duration_since(known.since), known.tries));
        stalls.insert(consumer, known);
        told
    }

    fn stalls(&self) -> MutexGuard<'_, BTreeMap<&'static str, Stall>> {
        // A panic in another thread cannot leave the map half-written.
        self.stalls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn readings(lag: ConsumerLag) -> [Reading; 2] {
    let consumer = Label::Consumer.of(lag.consumer);
    [
        Reading::new(&CONSUMER_LAG, lag.events_behind, [consumer.clone()]),
        Reading::new(&CONSUMER_LAG_AGE, lag.seconds_behind, [consumer]),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{ConsumerFault, ConsumerHealth};

    const CONSUMER: &str = "payments-on-booking";

    /// What is logged when it is stuck at a position at these seconds.
    fn told(
        consumer_health: &ConsumerHealth,
        begin: Instant,
        stalls: &[(u64, i64)],
    ) -> Vec<(u64, u32)> {
        let still = |(second, position): &(u64, i64)| {
            consumer_health.stalled(CONSUMER, *position, begin + Duration::from_secs(*second))
        };
        stalls.iter().filter_map(still).map(|(since, tries)| (since.as_secs(), tries)).collect()
    }

    #[test]
    fn a_consumer_that_stands_before_one_event_is_reported_every_three_minutes() {
        let (consumer_health, begin) = (ConsumerHealth::default(), Instant::now());
        let stalls: Vec<(u64, i64)> = (0..=400).map(|second| (second, 7)).collect();
        assert_eq!(told(&consumer_health, begin, &stalls), [(180, 181), (360, 361)]);
        // The health port reports it until it makes progress, whatever the others do.
        consumer_health.advanced("payments-on-reviews");
        let after = |seconds| consumer_health.check_at(begin + Duration::from_secs(seconds));
        let still = ConsumerFault::Stalled { consumer: CONSUMER, position: 7 };
        assert_eq!((after(179), after(180), after(400)), (Ok(()), Err(still), Err(still)));
        consumer_health.advanced(CONSUMER);
        assert_eq!(after(400), Ok(()));
    }

    #[test]
    fn a_consumer_that_goes_on_is_not_reported() {
        let (consumer_health, begin) = (ConsumerHealth::default(), Instant::now());
        // Slow progress, from one event to the next.
        let slow: Vec<(u64, i64)> = (0..9).map(|event| (event * 100, 7)).collect();
        for stall in &slow {
            assert_eq!(told(&consumer_health, begin, &[*stall]), []);
            consumer_health.advanced(CONSUMER);
        }
        let next: Vec<(u64, i64)> = (9_u32..20).map(|n| (u64::from(n) * 100, n.into())).collect();
        assert_eq!(told(&consumer_health, begin, &next), []);
        assert_eq!(consumer_health.check_at(begin + Duration::from_secs(1_950)), Ok(()));
    }
}
