//! Where the processes tell their metrics: those of the running practice, or those that a setting
//! names.
use super::series::{self, Sample};
use crate::process_specs::{METRICS, SERVICES_PROGRAM};
use anyhow::{Result, bail};
use futures::future::join_all;
use machine::environment::Environment;
use machine::healthz;
use machine::run_state::{ProcessRecord, previous_run};
use std::collections::BTreeMap;
use std::path::Path;

/// The setting that names them, `gateway=9100 booking=9103`: ports of this machine.
const SETTING: &str = "SUKOON_METRICS_PORTS";

/// The processes with their ports.
pub(crate) type Targets = BTreeMap<String, u16>;

/// Finds them.
pub(crate) fn find(environment: &Environment, data: Option<&Path>) -> Result<Targets> {
    if let Some(text) = environment.get(SETTING) {
        return named(text);
    }
    let parts = data.map(|data| previous_run(data).parts).into_iter().flatten();
    let port = |(name, part): (String, ProcessRecord)| Some((name, *part.ports.get(METRICS)?));
    let found: Targets = parts.filter_map(port).collect();
    if found.is_empty() {
        bail!("no practice runs here; start one, or name the ports of its metrics in {SETTING}");
    }
    Ok(found)
}

fn named(text: &str) -> Result<Targets> {
    let mut found = Targets::new();
    for entry in text.split_whitespace() {
        let (name, port) = entry.split_once('=').unwrap_or((entry, ""));
        let Ok(port) = port.parse() else {
            bail!("{SETTING} has {entry}; it should be like gateway=9100 booking=9103")
        };
        found.insert(name.to_owned(), port);
    }
    Ok(found)
}

/// Reads all of them at once; `up` says of each whether it answered. Services of one process are
/// told at one port.
pub(crate) async fn read(targets: &Targets) -> Vec<Sample> {
    let mut jobs: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for (job, port) in targets {
        jobs.entry(*port).or_default().push(job);
    }
    let reads = jobs.into_iter().map(|(port, jobs)| async move {
        let answer = healthz::get(port, "/metrics").await.filter(|answer| answer.status == 200);
        let is_up = if answer.is_some() { 1.0 } else { 0.0 };
        let up = jobs.iter().map(|job| Sample::of_job("up", job, is_up));
        let mut samples: Vec<Sample> = up.collect();
        let process = if let [job] = jobs.as_slice() { job } else { SERVICES_PROGRAM };
        samples.extend(answer.iter().flat_map(|answer| series::read(process, &answer.body)));
        samples
    });
    join_all(reads).await.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_named_by_a_setting() {
        let given = [(SETTING, "gateway=9100 booking=9103")];
        let found = find(&Environment::from(given), None).unwrap();
        assert_eq!((found["gateway"], found["booking"]), (9100, 9103));
        for bad in ["gateway", "gateway=x", "gateway=99999"] {
            let told = find(&Environment::from([(SETTING, bad)]), None);
            assert!(told.unwrap_err().to_string().contains(bad));
        }
    }

    #[test]
    fn without_a_practice_it_says_what_to_do() {
        let told = find(&Environment::default(), None).unwrap_err();
        assert!(told.to_string().contains(SETTING), "{told}");
    }

    #[tokio::test]
    async fn a_process_that_does_not_answer_is_told() {
        let gone = Targets::from([("booking".to_owned(), 1)]);
        assert_eq!(read(&gone).await, [Sample::of_job("up", "booking", 0.0)]);
    }
}
