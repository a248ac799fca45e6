//! The alerts of `deploy/observability/alerts.yml` as far as one value decides them, so that a
//! practice without Prometheus has the same thresholds. Those over rates need Prometheus.
use super::series::Sample;
use std::path::Path;
use std::time::Duration;

/// The rules, as they were when this program was built: of the processes, and of a server.
const FILES: [&str; 2] = [
    include_str!("../../../observability/alerts.yml"),
    include_str!("../../../observability/server/server.yml"),
];

/// An alert over one metric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    /// The alert's name.
    pub(crate) name: String,
    /// `page` or `ticket`.
    pub(crate) severity: String,
    /// What it says, with places for labels.
    summary: String,
    /// Where it says what to do.
    pub(crate) runbook: String,
    /// For how long it has to hold.
    pub(crate) lasting: Duration,
    condition: Condition,
}

/// A comparison of one metric with a number.
#[derive(Clone, Debug, PartialEq)]
struct Condition {
    metric: String,
    matchers: Vec<Matcher>,
    comparison: Comparison,
    threshold: f64,
}

/// A label that must, or must not, have one of these values.
#[derive(Clone, Debug, PartialEq)]
struct Matcher {
    label: String,
    values: Vec<String>,
    is_wanted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Above,
    Below,
    AtLeast,
    Is,
    IsNot,
}

impl Rule {
    /// Whether the alert holds for a value.
    pub(crate) fn holds(&self, sample: &Sample) -> bool {
        let Condition { metric, matchers, comparison, threshold } = &self.condition;
        let is_meant = |matcher: &Matcher| {
            let value = sample.labels.get(&matcher.label).map_or("", String::as_str);
            matcher.values.iter().any(|wanted| wanted == value) == matcher.is_wanted
        };
        let value = sample.value;
        sample.name == *metric
            && matchers.iter().all(is_meant)
            && match comparison {
                Comparison::Above => value > *threshold,
                Comparison::Below => value < *threshold,
                Comparison::AtLeast => value >= *threshold,
                Comparison::Is => value == *threshold,
                Comparison::IsNot => value != *threshold,
            }
    }

    /// What it says about a value.
    pub(crate) fn sentence(&self, sample: &Sample) -> String {
        let mut sentence = self.summary.replace("{{ $value }}", &sample.value.to_string());
        for (label, value) in &sample.labels {
            sentence = sentence.replace(&format!("{{{{ $labels.{label} }}}}"), value);
        }
        sentence
    }
}

/// All alerts that one value decides.
pub(crate) fn all() -> Vec<Rule> {
    FILES.iter().flat_map(|file| entries(file)).filter_map(|entry| rule(&entry)).collect()
}

/// The lines of each alert of the file.
fn entries(file: &str) -> Vec<Vec<&str>> {
    let mut entries: Vec<Vec<&str>> = Vec::new();
    let mut is_alert = false;
    for line in file.lines().map(str::trim) {
        if line.starts_with("- ") {
            is_alert = line.starts_with("- alert:");
            if is_alert {
                entries.push(Vec::new());
            }
        }
        if let (true, Some(entry)) = (is_alert, entries.last_mut()) {
            entry.push(line.trim_start_matches("- "));
        }
    }
    entries
}

fn rule(entry: &[&str]) -> Option<Rule> {
    let field = |name: &str| {
        let value = entry.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(value.trim().trim_matches('"').to_owned())
    };
    let severity = field("labels")?;
    let severity = severity.split_once("severity: ")?.1.trim_end_matches([' ', '}']).to_owned();
    Some(Rule {
        name: field("alert")?,
        severity,
        summary: field("summary")?,
        runbook: located(&field("runbook")?),
        lasting: field("for").map_or(Some(Duration::ZERO), |text| duration(&text))?,
        condition: condition(&expression(entry)?)?,
    })
}

/// Where the package puts the documents.
const INSTALLED: &str = "/usr/share/sukoon";

/// The path of a document on a server with the package; elsewhere it is below the checkout.
fn located(runbook: &str) -> String {
    match Path::new(INSTALLED).join("docs/RUNBOOKS.md").is_file() {
        true => format!("{INSTALLED}/{runbook}"),
        false => runbook.to_owned(),
    }
}

/// The value of `expr`, on one line or folded into several.
fn expression(entry: &[&str]) -> Option<String> {
    let at = entry.iter().position(|line| line.starts_with("expr:"))?;
    let first = entry.get(at)?.strip_prefix("expr:")?.trim();
    if first != ">-" {
        return Some(first.to_owned());
    }
    let is_key =
        |line: &&&str| ["for:", "labels:", "annotations:"].iter().any(|key| line.starts_with(key));
    let folded = entry.iter().skip(at.saturating_add(1)).take_while(|line| !is_key(line));
    Some(folded.copied().collect::<Vec<_>>().join(" "))
}

/// None for what is more than a comparison of one metric with a number.
fn condition(expression: &str) -> Option<Condition> {
    let words = [
        (" >= ", Comparison::AtLeast),
        (" > ", Comparison::Above),
        (" < ", Comparison::Below),
        (" == ", Comparison::Is),
        (" != ", Comparison::IsNot),
    ];
    let split = |(word, comparison)| {
        let (selector, number) = expression.rsplit_once(word)?;
        Some((selector.trim(), comparison, number.trim().parse().ok()?))
    };
    let (selector, comparison, threshold) = words.into_iter().find_map(split)?;
    let (metric, matchers) = selector.split_once('{').unwrap_or((selector, ""));
    let is_name = metric.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let matchers = matchers.trim_end_matches('}').split(',').filter(|part| !part.is_empty());
    let matchers = matchers.map(matcher).collect::<Option<Vec<_>>>()?;
    is_name.then(|| Condition { metric: metric.to_owned(), matchers, comparison, threshold })
}

fn matcher(text: &str) -> Option<Matcher> {
    let (label, rest) = text.split_at_checked(text.find(['=', '!'])?)?;
    let operators =
        [("=~", true, true), ("!~", false, true), ("!=", false, false), ("=", true, false)];
    let (value, is_wanted, is_pattern) =
        operators.into_iter().find_map(|(sign, wanted, list)| {
            rest.strip_prefix(sign).map(|value| (value.trim_matches('"'), wanted, list))
        })?;
    // A pattern is a list of words here.
    let values: Vec<&str> = if is_pattern { value.split('|').collect() } else { vec![value] };
    let is_list = values.iter().all(|word| !word.contains(['.', '*', '+', '[', '(']));
    let values = values.into_iter().map(str::to_owned).collect();
    is_list.then(|| Matcher { label: label.trim().to_owned(), values, is_wanted })
}

fn duration(text: &str) -> Option<Duration> {
    let (number, seconds) = match text.strip_suffix('m') {
        Some(minutes) => (minutes, 60_u64),
        None => (text.strip_suffix('h')?, 3600),
    };
    let number: u64 = number.parse().ok()?;
    Some(Duration::from_secs(number.saturating_mul(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn sample(name: &str, label: (&str, &str), value: f64) -> Sample {
        let mut sample = Sample::of_job(name, "payments", value);
        sample.labels.insert(label.0.to_owned(), label.1.to_owned());
        sample
    }

    fn rule_of(name: &str) -> Rule {
        all().into_iter().find(|rule| rule.name == name).unwrap()
    }

    /// An alert that is added shows here whether a terminal tells it too.
    #[test]
    fn every_alert_but_those_over_rates_is_told_without_prometheus() {
        let ours: BTreeSet<String> = all().into_iter().map(|rule| rule.name).collect();
        let names = FILES
            .iter()
            .flat_map(|file| entries(file))
            .map(|entry| entry[0].replace("alert: ", ""));
        let left: Vec<String> = names.filter(|name| !ours.contains(name)).collect();
        let rates = [
            "ConnectionsUsedUp",
            "ConnectionsRefused",
            "WebhooksRefused",
            "ProbeBurnsFast",
            "ProbeBurns",
            "ProbeBurnsSlowly",
        ];
        assert_eq!(left, rates);
    }

    #[test]
    fn a_comparison_holds_for_its_metric_labels_and_number_only() {
        let rule = rule_of("CapturedWithoutBooking");
        let metric = "sukoon_money_unexplained_age_seconds";
        let reason = ("reason", "CAPTURED_NOT_PLACED");
        assert!(rule.holds(&sample(metric, reason, 301.0)));
        assert!(!rule.holds(&sample(metric, reason, 300.0)));
        assert!(!rule.holds(&sample(metric, ("reason", "NOT_SETTLED"), 301.0)));
        assert!(!rule.holds(&sample("sukoon_money_unexplained", reason, 301.0)));
        let others = rule_of("MoneyUnexplained");
        assert!(others.holds(&sample(metric, ("reason", "NOT_SETTLED"), 86_401.0)));
        assert!(!others.holds(&sample(metric, reason, 86_401.0)));
        let ledger = rule_of("LedgerImbalance");
        let sum = |value| sample("sukoon_ledger_imbalance", ("currency", "INR"), value);
        assert!(ledger.holds(&sum(-1.0)) && ledger.holds(&sum(1.0)) && !ledger.holds(&sum(0.0)));
    }

    /// Each alarm of a server, red and green.
    #[test]
    fn what_a_server_lacks_is_an_alarm() {
        for (alert, metric, red, green) in [
            ("DiskFillsUp", "used_percent", 86.0, 85.0),
            ("ArchivingFails", "archiving_fails", 1.0, 0.0),
            ("BackupOverdue", "backup_age_seconds", 93_601.0, 93_600.0),
            ("CertificateEnds", "certificate_days", 13.0, 14.0),
            ("SiteNotReached", "site_reached", 0.0, 1.0),
            ("ClockNotSynchronised", "clock_synchronised", 0.0, 1.0),
            ("LookStands", "look_age_seconds", 601.0, 600.0),
        ] {
            let rule = rule_of(alert);
            let told =
                |value| sample(&format!("sukoon_machine_{metric}"), ("volume", "data"), value);
            assert!(rule.holds(&told(red)) && !rule.holds(&told(green)), "{alert}");
        }
    }

    #[test]
    fn a_sentence_names_what_it_is_about() {
        let rule = rule_of("EventsParked");
        let parked = sample("sukoon_events_parked", ("consumer", "payments-on-booking"), 2.0);
        let told = "payments-on-booking could not take in 2 events, and their streams wait.";
        assert_eq!(rule.sentence(&parked), told);
        assert_eq!((rule.severity.as_str(), rule.lasting), ("ticket", Duration::ZERO));
        assert_eq!(rule_of("ProcessGone").lasting, Duration::from_secs(120));
    }
}
