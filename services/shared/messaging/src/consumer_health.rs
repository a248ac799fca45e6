//! How consumers go on: how far they are behind, how long they have stood before one event, and
//! when that has to be said as an error.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::health::{Checks, ConsumerLag, EVENTS};
use runtime::metrics::catalogue::{CONSUMER_LAG, CONSUMER_LAG_AGE};
use runtime::metrics::{self, Label, Reading};
use tokio::time::Instant;

use crate::lag::Lags;

/// What waits so long does not end by itself. It is told again each time that this has passed.
const FAULT_AFTER: Duration = Duration::from_secs(180);

/// Where the consumers of a process stand.
#[derive(Debug, Clone, Default)]
pub struct ConsumerHealth {
    stalls: Arc<Mutex<BTreeMap<&'static str, Stall>>>,
    lags: Lags,
}

/// A consumer does not go on as it should, and a person has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConsumerFault {
    /// It has stood before one event for minutes, and behind it everything stands still.
    #[error("{consumer} stands still before position {position}")]
    Stalled {
        /// The consumer.
        consumer: &'static str,
        /// The position in its source's feed that it cannot take in.
        position: i64,
    },
    /// It goes on, and for minutes much has waited behind it.
    #[error("{consumer} stays {events} events behind")]
    Lagging {
        /// The consumer.
        consumer: &'static str,
        /// How many events it has not taken in.
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
    /// The same checks with what is told of these consumers: the concern [`EVENTS`], and how far
    /// each is behind, which metrics tell too.
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

    /// Whether every consumer goes on.
    ///
    /// # Errors
    /// One has stood before the same event for three minutes, or has had a backlog for so long.
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

    /// A consumer has so many events to take in; the oldest has waited so long, where that is
    /// known. For how long they have been too many, when that is to be told.
    pub(crate) fn record_lag(
        &self,
        consumer: &'static str,
        events: (i64, Option<Duration>),
    ) -> Option<Duration> {
        self.lags.set(consumer, events, (Instant::now(), FAULT_AFTER))
    }

    /// It went on, or nothing is left to go on to.
    pub(crate) fn advanced(&self, consumer: &'static str) {
        self.stalls().remove(consumer);
    }

    /// It could not go on to this position now. For how long it could not, and how often it has
    /// tried, when that is to be told.
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
        // A panic elsewhere cannot leave it half-written.
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

    /// What is told when it stands before a position at these seconds.
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
    fn whoever_stands_before_one_event_for_minutes_is_told_of_every_three_minutes() {
        let (consumer_health, begin) = (ConsumerHealth::default(), Instant::now());
        let stalls: Vec<(u64, i64)> = (0..=400).map(|second| (second, 7)).collect();
        assert_eq!(told(&consumer_health, begin, &stalls), [(180, 181), (360, 361)]);
        // It is told on the health port until it goes on, whatever the others do.
        consumer_health.advanced("payments-on-reviews");
        let after = |seconds| consumer_health.check_at(begin + Duration::from_secs(seconds));
        let still = ConsumerFault::Stalled { consumer: CONSUMER, position: 7 };
        assert_eq!((after(179), after(180), after(400)), (Ok(()), Err(still), Err(still)));
        consumer_health.advanced(CONSUMER);
        assert_eq!(after(400), Ok(()));
    }

    #[test]
    fn whoever_goes_on_is_not_told_of() {
        let (consumer_health, begin) = (ConsumerHealth::default(), Instant::now());
        // Slowly, from one event to the next.
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
