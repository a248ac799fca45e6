//! How long a consumer has stood before one event, and when that has to be said as an error.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// What waits so long does not end by itself. It is told again each time that this has passed.
const PATIENCE: Duration = Duration::from_secs(180);

/// Where a consumer stands, if it does not move.
#[derive(Debug, Default)]
pub(crate) struct Standing(Mutex<Option<Stop>>);

#[derive(Debug)]
struct Stop {
    position: i64,
    since: Instant,
    told: Instant,
    tries: u32,
}

impl Standing {
    /// It went on, or nothing is left to go on to.
    pub(crate) fn moved(&self) {
        *self.stop() = None;
    }

    /// It could not go on to this position now. For how long it could not, and how often it has
    /// tried, when that is to be told.
    pub(crate) fn still(&self, position: i64, now: Instant) -> Option<(Duration, u32)> {
        let mut stop = self.stop();
        let known = stop.take().filter(|known| known.position == position);
        let mut known = known.unwrap_or(Stop { position, since: now, told: now, tries: 0 });
        known.tries = known.tries.saturating_add(1);
        let is_due = now.duration_since(known.told) >= PATIENCE;
        if is_due {
            known.told = now;
        }
        let told = is_due.then(|| (now.duration_since(known.since), known.tries));
        *stop = Some(known);
        told
    }

    fn stop(&self) -> MutexGuard<'_, Option<Stop>> {
        // A panic elsewhere cannot leave it half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Standing;

    /// What is told when it stands before a position at these seconds.
    fn told(standing: &Standing, begin: Instant, stops: &[(u64, i64)]) -> Vec<(u64, u32)> {
        let still = |(second, position): &(u64, i64)| {
            standing.still(*position, begin + Duration::from_secs(*second))
        };
        stops.iter().filter_map(still).map(|(since, tries)| (since.as_secs(), tries)).collect()
    }

    #[test]
    fn whoever_stands_before_one_event_for_minutes_is_told_of_every_three_minutes() {
        let standing = Standing::default();
        let stops: Vec<(u64, i64)> = (0..=400).map(|second| (second, 7)).collect();
        assert_eq!(told(&standing, Instant::now(), &stops), [(180, 181), (360, 361)]);
    }

    #[test]
    fn whoever_goes_on_is_not_told_of() {
        let (standing, begin) = (Standing::default(), Instant::now());
        // Slowly, from one event to the next.
        let slow: Vec<(u64, i64)> = (0..9).map(|event| (event * 100, 7)).collect();
        for stop in &slow {
            assert_eq!(told(&standing, begin, &[*stop]), []);
            standing.moved();
        }
        let next: Vec<(u64, i64)> = (9_u32..20).map(|n| (u64::from(n) * 100, n.into())).collect();
        assert_eq!(told(&standing, begin, &next), []);
    }
}
