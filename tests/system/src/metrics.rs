//! What Prometheus would read from the processes of a practice.

use anyhow::{Context as _, Result};

use crate::practice::Practice;

/// The processes that tell metrics.
const PROCESSES: [&str; 7] =
    ["gateway", "catalogue", "identity", "booking", "payments", "notifications", "reviews"];

/// The metrics of all processes, each line behind the process's name.
///
/// # Errors
/// When a process does not tell them, or a service is not ready.
pub async fn metrics(practice: &Practice) -> Result<String> {
    let record = practice.record()?;
    let (http, mut told) = (runtime::http::client()?, String::new());
    for process in PROCESSES {
        let port = record["parts"][process]["ports"]["metrics"].as_u64();
        let port = port.with_context(|| format!("{process} has no port for metrics"))?;
        let url = format!("http://127.0.0.1:{port}/metrics");
        // What an orchestrator asks there; the gateway answers at the port that it serves at.
        if process != "gateway" {
            let ready = format!("http://127.0.0.1:{port}/readyz");
            http.get(&ready).send().await?.error_for_status()?;
        }
        let answer = http.get(&url).send().await?.error_for_status()?;
        let text = answer.text().await?;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            told.push_str(&format!("{process} {line}\n"));
        }
    }
    Ok(told)
}
