//! Measured times, and what is read off them.

use std::time::Duration;

/// Times of single calls, in the order in which they were measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    nanos: Vec<u64>,
}

impl Samples {
    /// Adds one.
    pub(crate) fn push(&mut self, time: Duration) {
        self.nanos.push(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds all of another measurement.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.nanos.extend(other.nanos);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.nanos.len()
    }

    /// The time that `per_mille` of a thousand did not exceed, by the nearest rank: one that really
    /// occurred, never one between two. Zero when nothing was measured.
    pub(crate) fn at(&self, per_mille: usize) -> Duration {
        let mut sorted = self.nanos.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * per_mille).div_ceil(1000).max(1);
        Duration::from_nanos(sorted.get(rank - 1).copied().unwrap_or_default())
    }

    /// The time that half of them did not exceed.
    pub(crate) fn p50(&self) -> Duration {
        self.at(500)
    }

    /// The time that 99 in 100 did not exceed.
    pub(crate) fn p99(&self) -> Duration {
        self.at(990)
    }

    /// The longest of all.
    pub(crate) fn longest(&self) -> Duration {
        self.at(1000)
    }
}

impl FromIterator<Duration> for Samples {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut samples = Self::default();
        times.into_iter().for_each(|time| samples.push(time));
        samples
    }
}

/// The middle one of some numbers; of an even count, the mean of the two in the middle.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    match sorted.len() % 2 {
        1 => upper,
        _ => {
            let below = (sorted.len() / 2).checked_sub(1);
            let lower = below.and_then(|at| sorted.get(at)).copied().unwrap_or_default();
            f64::midpoint(lower, upper)
        }
    }
}

/// A time in milliseconds.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(millis: impl IntoIterator<Item = u64>) -> Samples {
        millis.into_iter().map(Duration::from_millis).collect()
    }

    #[test]
    fn a_percentile_is_a_time_that_occurred() {
        let samples = of((1..=200).rev());
        assert_eq!(samples.p50(), Duration::from_millis(100));
        assert_eq!(samples.p99(), Duration::from_millis(198));
        assert_eq!(samples.longest(), Duration::from_millis(200));
        assert_eq!(of([7]).p99(), Duration::from_millis(7));
        assert_eq!(of([]).p50(), Duration::ZERO);
    }

    #[test]
    fn the_slowest_of_a_hundred_is_not_hidden() {
        let one_is_slow = of(std::iter::repeat_n(1, 99).chain([900]));
        assert_eq!(one_is_slow.p99(), Duration::from_millis(1));
        assert_eq!(one_is_slow.longest(), Duration::from_millis(900));
        let two_are_slow = of(std::iter::repeat_n(1, 98).chain([900, 900]));
        assert_eq!(two_are_slow.p99(), Duration::from_millis(900));
    }

    #[test]
    fn measurements_are_joined() {
        let mut samples = of([1, 2]);
        samples.absorb(of([3]));
        assert_eq!((samples.len(), samples.longest()), (3, Duration::from_millis(3)));
    }

    #[test]
    fn the_median_does_not_mind_an_outlier() {
        assert!((median(&[1.0, 900.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[1.0, 3.0, 2.0, 900.0]) - 2.5).abs() < 1e-9);
        assert!((median(&[4.0]) - 4.0).abs() < 1e-9);
        assert!(median(&[]).abs() < 1e-9);
    }
}
