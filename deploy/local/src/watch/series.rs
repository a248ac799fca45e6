//! What a process tells at its metrics' address, read from Prometheus' text.
use std::collections::BTreeMap;

/// One value with its name and labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// The metric's name.
    pub(crate) name: String,
    /// Its labels, with `job` for the process.
    pub(crate) labels: BTreeMap<String, String>,
    /// The value.
    pub(crate) value: f64,
}

/// What a process says of itself, which names it, too.
const INFO: &str = "target_info";

impl Sample {
    /// A value that this program makes itself.
    pub(crate) fn of_job(name: &str, job: &str, value: f64) -> Self {
        let labels = BTreeMap::from([("job".to_owned(), job.to_owned())]);
        Self { name: name.to_owned(), labels, value }
    }
}

/// The label of a value with its service, in a process that runs several.
const SERVICE: &str = "service_name";

/// Reads all values of a process; a service that is named in it is the job, as if it were a process
/// of its own. Lines that are not of the format are left out.
pub(crate) fn read(job: &str, text: &str) -> Vec<Sample> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| sample(job, line)).collect()
}

fn sample(job: &str, line: &str) -> Option<Sample> {
    let mut labels = BTreeMap::from([("job".to_owned(), job.to_owned())]);
    let (name, value) = match line.split_once('{') {
        None => line.split_once(' ')?,
        Some((name, rest)) => {
            let mut rest = rest;
            while !rest.starts_with('}') {
                let (label, after) = rest.trim_start_matches(',').split_once("=\"")?;
                let (value, after) = quoted(after)?;
                labels.insert(label.to_owned(), value);
                rest = after;
            }
            (name, rest.strip_prefix('}')?)
        }
    };
    if name != INFO
        && let Some(service) = labels.remove(SERVICE)
    {
        labels.insert("job".to_owned(), service);
    }
    // A timestamp may follow.
    let value = value.split_whitespace().next()?.parse().ok()?;
    Some(Sample { name: name.to_owned(), labels, value })
}

/// The text up to its closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((value, text.get(at.saturating_add(1)..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                escaped => value.push(escaped),
            },
            plain => value.push(plain),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_labels() {
        let text = "# HELP sukoon_mails Mails.\nsukoon_mails{state=\"sent\"} 4\n\
                    sukoon_outbox_age_seconds 61\n\
                    a_total{route=\"/a{b}\",word=\"say \\\"x\\\"\"} 1.5 1700000000\nbroken{a=\n";
        let samples = read("booking", text);
        assert_eq!(samples.len(), 3);
        assert_eq!(samples[0].labels["state"], "sent");
        assert_eq!(samples[0].labels["job"], "booking");
        assert_eq!(
            (samples[1].name.as_str(), samples[1].value),
            ("sukoon_outbox_age_seconds", 61.0)
        );
        assert_eq!(samples[2].labels["route"], "/a{b}");
        assert_eq!(samples[2].labels["word"], "say \"x\"");
        assert_eq!(samples[2].value, 1.5);
        let shared =
            "up_to{service_name=\"booking\"} 1\ntarget_info{service_name=\"services\"} 1\n";
        let jobs = read("services", shared).into_iter().map(|sample| sample.labels["job"].clone());
        assert_eq!(jobs.collect::<Vec<_>>(), ["booking", "services"]);
    }
}
