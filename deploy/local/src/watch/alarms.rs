//! Which alerts hold, for how long, and which of them are to be told now.
use super::rules::Rule;
use super::series::Sample;
use std::collections::BTreeMap;
use tokio::time::{Duration, Instant};

/// How long after it was told an alert that still holds is told again.
const TOLD_AGAIN_AFTER: Duration = Duration::from_secs(24 * 3600);

/// An alert about one series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alarm {
    /// Whether it cannot wait for the morning.
    pub(crate) is_page: bool,
    /// The alert's name.
    pub(crate) name: String,
    /// What it says.
    pub(crate) sentence: String,
    /// Where it says what to do.
    pub(crate) runbook: String,
}

#[derive(Clone, Copy, Debug)]
struct Standing {
    since: Instant,
    told: Option<Instant>,
}

/// The alerts that hold.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    standing: BTreeMap<(String, String), (Alarm, Standing)>,
}

impl Alarms {
    /// Takes in what the processes tell now. It gives the alarms that have begun since.
    pub(crate) fn update(
        &mut self,
        rules: &[Rule],
        samples: &[Sample],
        now: Instant,
    ) -> Vec<Alarm> {
        let mut before = std::mem::take(&mut self.standing);
        let mut begun = Vec::new();
        for rule in rules {
            for sample in samples.iter().filter(|sample| rule.holds(sample)) {
                let key = (rule.name.clone(), series(sample));
                let known = before.remove(&key).map(|(_, standing)| standing);
                let mut standing = known.unwrap_or(Standing { since: now, told: None });
                let alarm = Alarm {
                    is_page: rule.severity == "page",
                    name: rule.name.clone(),
                    sentence: rule.sentence(sample),
                    runbook: rule.runbook.clone(),
                };
                let lasts = now.duration_since(standing.since) >= rule.lasting;
                let is_new = |told: Instant| now.duration_since(told) >= TOLD_AGAIN_AFTER;
                if lasts && standing.told.is_none_or(is_new) {
                    standing.told = Some(now);
                    begun.push(alarm.clone());
                }
                self.standing.insert(key, (alarm, standing));
            }
        }
        begun.sort_by(|a, b| b.is_page.cmp(&a.is_page).then_with(|| a.cmp(b)));
        begun
    }

    /// These were not told after all: the next update gives them again.
    pub(crate) fn take_back(&mut self, untold: &[Alarm]) {
        for (alarm, standing) in self.standing.values_mut() {
            if untold.contains(alarm) {
                standing.told = None;
            }
        }
    }

    /// All alarms that are told, those for now first.
    pub(crate) fn told(&self) -> Vec<&Alarm> {
        let told = self.standing.values().filter(|(_, standing)| standing.told.is_some());
        let mut told: Vec<&Alarm> = told.map(|(alarm, _)| alarm).collect();
        told.sort_by(|a, b| b.is_page.cmp(&a.is_page).then_with(|| a.cmp(b)));
        told
    }

    /// How many hold and have not lasted long enough to be told.
    pub(crate) fn pending(&self) -> usize {
        self.standing.values().filter(|(_, standing)| standing.told.is_none()).count()
    }
}

/// What names a series.
fn series(sample: &Sample) -> String {
    let labels = sample.labels.iter().map(|(label, value)| format!("{label}={value}"));
    labels.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;

    /// What is told after each of these seconds, with the outbox this old.
    fn names(ages: &[(u64, f64)]) -> Vec<Vec<String>> {
        let (rules, begin) = (rules::all(), Instant::now());
        let mut alarms = Alarms::default();
        let told = |(second, age): &(u64, f64)| {
            let samples = [Sample::of_job("sukoon_outbox_age_seconds", "booking", *age)];
            let now = begin + Duration::from_secs(*second);
            let begun = alarms.update(&rules, &samples, now);
            begun.into_iter().map(|alarm| alarm.name).collect()
        };
        ages.iter().map(told).collect()
    }

    #[test]
    fn an_alarm_is_told_once_after_it_has_lasted() {
        let told = names(&[(0, 61.0), (59, 120.0), (60, 121.0), (65, 126.0), (70, 0.0)]);
        let once: Vec<&str> = vec!["OutboxStands"];
        assert_eq!(told, [vec![], vec![], once, vec![], vec![]]);
    }

    #[test]
    fn what_has_ended_begins_anew_and_what_stays_is_told_again_a_day_later() {
        let told = names(&[(0, 61.0), (30, 0.0), (60, 61.0), (100, 61.0), (120, 61.0)]);
        assert_eq!(told.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
        let day = 24 * 3600;
        let told = names(&[(0, 61.0), (60, 61.0), (59 + day, 61.0), (60 + day, 61.0)]);
        assert_eq!(told.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0, 1]);
    }

    #[test]
    fn what_could_not_be_told_is_told_the_next_time() {
        let (rules, begin) = (rules::all(), Instant::now());
        let mut alarms = Alarms::default();
        let mut at = |second: u64, value: f64, is_told: bool| {
            let samples = [Sample::of_job("sukoon_events_parked", "booking", value)];
            let begun = alarms.update(&rules, &samples, begin + Duration::from_secs(second));
            if !is_told {
                alarms.take_back(&begun);
            }
            begun.len()
        };
        assert_eq!([at(0, 1.0, false), at(10, 2.0, false), at(20, 2.0, true)], [1, 1, 1]);
        assert_eq!(at(30, 2.0, true), 0);
    }

    #[test]
    fn series_of_one_alert_are_alarms_of_their_own() {
        let samples =
            ["booking", "payments"].map(|job| Sample::of_job("sukoon_events_parked", job, 1.0));
        let mut alarms = Alarms::default();
        let begun = alarms.update(&rules::all(), &samples, Instant::now());
        assert_eq!(begun.len(), 2);
        assert_eq!((alarms.told().len(), alarms.pending()), (2, 0));
    }
}
