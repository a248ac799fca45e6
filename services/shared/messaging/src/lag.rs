//! How far consumers are behind the feeds that they read, and when to log that as an error.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::common::v1::ConsumerLag;
use tokio::time::Instant;

/// From how many events on it is a backlog, and not only a busy minute.
const BACKLOG: i64 = 1_000;

/// How far each consumer of a process is behind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lags(Arc<Mutex<BTreeMap<&'static str, Lag>>>);

#[derive(Debug, Clone, Copy)]
struct Lag {
    events: i64,
    /// When the oldest of them began to wait.
    oldest: Option<Instant>,
    /// When it became a backlog, and when that was last logged.
    backlog: Option<(Instant, Instant)>,
}

impl Lags {
    /// Records how many events a consumer has left, and how long the oldest has waited; if that is
    /// not known, the time counts from the first record with events left. Returns how long it has
    /// been a backlog if that is to be logged now.
    pub(crate) fn set(
        &self,
        consumer: &'static str,
        (events, waited): (i64, Option<Duration>),
        (now, patience): (Instant, Duration),
    ) -> Option<Duration> {
        let mut lags = self.lags();
        let before = lags.get(consumer).copied();
        let known = waited.and_then(|waited| now.checked_sub(waited));
        let left = known.or(before.and_then(|lag| lag.oldest)).unwrap_or(now);
        let oldest = (events > 0).then_some(left);
        let before = before.and_then(|lag| lag.backlog);
        let mut backlog = (events >= BACKLOG).then(|| before.unwrap_or((now, now)));
        let mut told = None;
        if let Some((since, last)) = &mut backlog
            && now.duration_since(*last) >= patience
        {
            *last = now;
            told = Some(now.duration_since(*since));
        }
        lags.insert(consumer, Lag { events: events.max(0), oldest, backlog });
        told
    }

    /// The first consumer that has had a backlog for this long, and the backlog's size now.
    pub(crate) fn backlog(&self, now: Instant, patience: Duration) -> Option<(&'static str, i64)> {
        let lags = self.lags();
        let long = |lag: &Lag| lag.backlog.is_some_and(|it| now.duration_since(it.0) >= patience);
        lags.iter().find(|(_, lag)| long(lag)).map(|(consumer, lag)| (*consumer, lag.events))
    }

    /// The lag of every consumer.
    pub(crate) fn list(&self, now: Instant) -> Vec<ConsumerLag> {
        let seconds = |since: Instant| now.duration_since(since).as_secs().try_into().ok();
        let told = |(consumer, lag): (&&'static str, &Lag)| ConsumerLag {
            consumer: (*consumer).to_owned(),
            events_behind: lag.events,
            seconds_behind: lag.oldest.and_then(seconds).unwrap_or_default(),
        };
        self.lags().iter().map(told).collect()
    }

    fn lags(&self) -> MutexGuard<'_, BTreeMap<&'static str, Lag>> {
        // A panic in another thread cannot leave the map half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Lags;

    const CONSUMER: &str = "payments-on-booking";
    const FAULT_AFTER: Duration = Duration::from_secs(180);

    #[test]
    fn a_backlog_that_stays_is_told_every_three_minutes() {
        let (lags, begin) = (Lags::default(), Instant::now());
        let at = |seconds: u64, events: i64| {
            let now = begin + Duration::from_secs(seconds);
            lags.set(CONSUMER, (events, None), (now, FAULT_AFTER))
        };
        assert_eq!([at(0, 5_000), at(179, 9_000)], [None, None]);
        assert_eq!(lags.backlog(begin + Duration::from_secs(179), FAULT_AFTER), None);
        assert_eq!([at(180, 9_500), at(181, 9_400)], [Some(FAULT_AFTER), None]);
        let later = begin + Duration::from_secs(181);
        assert_eq!(lags.backlog(later, FAULT_AFTER), Some((CONSUMER, 9_400)));
        assert_eq!(at(360, 1_000), Some(2 * FAULT_AFTER));
        let told = |seconds| {
            let told = lags.list(begin + Duration::from_secs(seconds));
            assert!(told.iter().all(|lag| lag.consumer == CONSUMER), "{told:?}");
            told.iter().map(|lag| (lag.events_behind, lag.seconds_behind)).collect::<Vec<_>>()
        };
        assert_eq!(told(370), [(1_000, 370)]);
        // A busy minute is no backlog, and a later backlog counts anew.
        assert_eq!([at(400, 999), at(500, 1_000), at(600, 1_000)], [None, None, None]);
        assert_eq!(lags.backlog(begin + Duration::from_secs(600), FAULT_AFTER), None);
        at(700, 0);
        assert_eq!(told(800), [(0, 0)]);
        // An hour old, as a process finds it after a pause.
        let hour = Some(Duration::from_secs(3_600));
        lags.set(CONSUMER, (3, hour), (begin + Duration::from_secs(3_600), FAULT_AFTER));
        assert_eq!(told(3_610), [(3, 3_610)]);
    }
}
