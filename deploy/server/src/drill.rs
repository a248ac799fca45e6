//! `sukoon drill`: restores the newest backup with all that was archived since into a scratch
//! cluster, runs the checker on it, and says how long that took. The practice goes on meanwhile.
use super::backrest;
use super::check_settings::check_settings;
use super::cluster::{self, Cluster};
use super::layout::Layout;
use super::operations;
use super::postmaster::Scratch;
use super::user::command_as_owner;
use anyhow::{Context, Result};
use machine::checker;
use machine::databases;
use machine::environment::Environment;
use machine::output;
use machine::process::output_of;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use tokio::time::Instant;

/// The name under which the result is kept.
pub(crate) const RESULT: &str = "drill";
/// The scratch cluster's port, which only names its socket.
const PORT: u16 = 7433;

/// Drills, keeps the result, and fails when the restored practice is not as it must be.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let began = moment();
    let outcome = drill(layout).await;
    let result = match &outcome {
        Ok(result) => result.clone(),
        Err(error) => json!({ "sound": false, "problem": format!("{error:#}") }),
    };
    let mut result = result;
    if let Some(fields) = result.as_object_mut() {
        fields.insert("began_at".to_owned(), json!(began.to_string()));
    }
    operations::keep(layout, RESULT, &result)?;
    outcome?;
    output::line(summary(&result));
    let is_sound = result.get("sound") == Some(&Value::Bool(true));
    if !is_sound {
        output::line(format_args!("{result:#}"));
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::disallowed_methods, reason = "a drill is a matter of this machine")]
fn moment() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// One sentence about a drill.
pub(crate) fn summary(result: &Value) -> String {
    let number = |name: &str| result.get(name).and_then(Value::as_u64).unwrap_or_default();
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    if let Some(problem) = result.get("problem").and_then(Value::as_str) {
        return format!("the drill of {} failed: {problem}", text("began_at"));
    }
    let verdict = match result.get("sound") == Some(&Value::Bool(true)) {
        true => "all that could be judged is as it must be",
        false => "what was restored is NOT as it must be",
    };
    format!(
        "{} was restored in {} s and checked in {} s ({} bookings): {verdict}",
        text("backup"),
        number("restore_seconds"),
        number("check_seconds"),
        number("bookings"),
    )
}

async fn drill(layout: &Layout) -> Result<Value> {
    let newest = backrest::newest(layout)?.context("there is no backup yet")?;
    let place = Place::make(layout)?;
    let began = Instant::now();
    backrest::restore(layout, &place.data, None, &["--archive-mode=off"])?;
    let programs = cluster::programs(&Environment::of_this_process())?;
    let socket = place.folder.clone();
    let data = place.data.clone();
    let scratch = Scratch::start(Cluster { programs, data, socket, port: PORT }).await?;
    let restored = began.elapsed();
    let began = Instant::now();
    let as_of = scratch.cluster.last_change()?.map_or_else(|| newest.moment(), Ok)?;
    let mut settings = settings(layout, &scratch.cluster)?;
    settings.push(("CHECK_AS_OF".to_owned(), as_of.clone()));
    let report = checker::report(&settings).await?;
    let checked = began.elapsed();
    drop(scratch);
    place.remove()?;
    let field = |name: &str| report.get(name).cloned().unwrap_or(Value::Null);
    Ok(json!({
        "sound": field("sound"),
        "backup": newest.label,
        "as_of": as_of,
        "restore_seconds": restored.as_secs(),
        "check_seconds": checked.as_secs(),
        "bookings": field("bookings"),
        "events": field("events"),
        "broken": field("broken"),
        "unjudged": field("unjudged"),
        "tasks": field("tasks"),
        "mends": field("mends"),
    }))
}

/// The checker's settings: the scratch cluster's databases, and the provider as the practice has
/// it.
fn settings(layout: &Layout, cluster: &Cluster) -> Result<Vec<(String, String)>> {
    let mut settings = check_settings(layout)?;
    settings.retain(|(name, _)| !name.ends_with("_DATABASE_URL"));
    for service in databases::SERVICES {
        let name = format!("{}_DATABASE_URL", service.to_uppercase());
        settings.push((name, cluster.url(service)));
    }
    Ok(settings)
}

/// The folder of a drill.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: std::path::PathBuf,
    pub(super) data: std::path::PathBuf,
}

impl Place {
    /// An empty folder of the backups' owner. What an interrupted drill left behind is removed.
    pub(super) fn make(layout: &Layout) -> Result<Self> {
        let folder = layout.backups().join("drill");
        if folder.exists() {
            stop_leftover(&folder.join("data"));
            remove(&folder)?;
        }
        let data = folder.join("data");
        let mut mkdir = command_as_owner("mkdir", &layout.backups())?;
        output_of(mkdir.args(["-p", "-m", "0700"]).arg(&folder).arg(&data))?;
        Ok(Self { folder, data })
    }

    pub(super) fn remove(&self) -> Result<()> {
        remove(&self.folder)
    }
}

fn remove(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder)
        .with_context(|| format!("{} cannot be removed", folder.display()))
}

/// Ends the cluster of an interrupted drill, if it still runs.
fn stop_leftover(data: &Path) {
    let Ok(programs) = cluster::programs(&Environment::of_this_process()) else { return };
    let Ok(mut command) = command_as_owner(programs.join("pg_ctl"), data) else { return };
    command.args(["stop", "--silent", "--mode=immediate"]);
    // One that does not run cannot be stopped, which is as well.
    drop(output_of(command.arg(format!("--pgdata={}", data.display()))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drill_is_told_in_one_sentence() {
        let sound = json!({ "sound": true, "backup": "20261126-184226F", "restore_seconds": 41,
                            "check_seconds": 7, "bookings": 100_000 });
        assert_eq!(
            summary(&sound),
            "20261126-184226F was restored in 41 s and checked in 7 s (100000 bookings): all that \
             could be judged is as it must be"
        );
        let failed = json!({ "sound": false, "problem": "no backup", "began_at": "now" });
        assert_eq!(summary(&failed), "the drill of now failed: no backup");
        assert!(summary(&json!({ "sound": false })).contains("NOT"));
    }
}
