//! What `sukoon watch` shows: the alarms, and a few figures that say how the practice is.
use super::alarms::{Alarm, Alarms};
use super::series::Sample;

/// A figure of the screen: its title, the metric, and a label's value that narrows it.
struct Figure {
    title: &'static str,
    metric: &'static str,
    only: Option<(&'static str, &'static str)>,
    is_sum: bool,
    unit: &'static str,
}

const fn sum(title: &'static str, metric: &'static str) -> Figure {
    Figure { title, metric, only: None, is_sum: true, unit: "" }
}

const fn oldest(title: &'static str, metric: &'static str) -> Figure {
    Figure { title, metric, only: None, is_sum: false, unit: " s" }
}

impl Figure {
    const fn only(self, label: &'static str, value: &'static str) -> Self {
        Self { only: Some((label, value)), ..self }
    }

    /// None where no process tells it.
    fn value(&self, samples: &[Sample]) -> Option<f64> {
        let is_meant = |sample: &&Sample| {
            let has = |(label, value): (&str, &str)| {
                sample.labels.get(label).is_some_and(|found| found == value)
            };
            sample.name == self.metric && self.only.is_none_or(has)
        };
        let values = || samples.iter().filter(is_meant).map(|sample| sample.value);
        let most = values().reduce(f64::max)?;
        Some(if self.is_sum { values().sum() } else { most })
    }
}

const FIGURES: [Figure; 14] = [
    sum("sessions within seven days", "sukoon_sessions_ahead"),
    sum("times held", "sukoon_holds"),
    sum("captured within a day, paise", "sukoon_money_moved").only("kind", "captured"),
    sum("earned within a day, paise", "sukoon_money_moved").only("kind", "earned"),
    sum("refunded within a day, paise", "sukoon_money_moved").only("kind", "refund_processed"),
    sum("unexplained", "sukoon_money_unexplained"),
    sum("mails that wait", "sukoon_mails").only("state", "queued"),
    sum("mails that are tried again", "sukoon_mails").only("state", "retrying"),
    sum("mails that failed", "sukoon_mails").only("state", "failed"),
    oldest("outbox, oldest", "sukoon_outbox_age_seconds"),
    oldest("consumers, oldest", "sukoon_consumer_lag_age_seconds"),
    oldest("timers, latest", "sukoon_timers_lateness_seconds"),
    sum("refused at the edge", "sukoon_edge_refusals_total"),
    sum("processes that answer", "up"),
];

/// The lines of the screen.
pub(super) fn lines(alarms: &Alarms, samples: &[Sample]) -> Vec<String> {
    let mut lines: Vec<String> = alarms.told().into_iter().map(line).collect();
    if lines.is_empty() {
        lines.push("No alarm.".to_owned());
    }
    let pending = alarms.pending();
    if pending > 0 {
        lines.push(format!("{pending} more may become alarms if they last."));
    }
    lines.push(String::new());
    for figure in &FIGURES {
        let value = figure.value(samples);
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value}{}", figure.unit));
        lines.push(format!("{:<32}{value}", figure.title));
    }
    lines
}

/// An alarm on one line.
pub(super) fn line(alarm: &Alarm) -> String {
    let Alarm { is_page, name, sentence, runbook } = alarm;
    let urgency = if *is_page { "NOW  " } else { "today" };
    format!("{urgency} {name}: {sentence} → {runbook}")
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;
    use tokio::time::Instant;

    #[test]
    fn alarms_come_first_and_figures_that_are_not_told_have_a_dash() {
        let mut parked = Sample::of_job("sukoon_events_parked", "payments", 2.0);
        parked.labels.insert("consumer".to_owned(), "payments-on-booking".to_owned());
        let late = Sample::of_job("sukoon_outbox_age_seconds", "booking", 90.0);
        let samples = [parked, late, Sample::of_job("sukoon_holds", "booking", 3.0)];
        let mut alarms = Alarms::default();
        alarms.update(&rules::all(), &samples, Instant::now());
        let lines = lines(&alarms, &samples);
        assert!(
            lines[0].starts_with("today EventsParked: payments-on-booking could not take in 2")
        );
        assert_eq!(lines[1], "1 more may become alarms if they last.");
        assert!(lines.contains(&format!("{:<32}3", "times held")), "{lines:?}");
        assert!(lines.contains(&format!("{:<32}90 s", "outbox, oldest")), "{lines:?}");
        assert!(lines.contains(&format!("{:<32}-", "unexplained")), "{lines:?}");
    }
}
