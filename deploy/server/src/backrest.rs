//! pgBackRest: backups of the cluster, its log of changes, and restores.
use super::layout::Layout;
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::process::output_of;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The name of the only cluster among the backups.
const STANZA: &str = "sukoon";

/// The newest backup, as pgBackRest tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewestBackup {
    /// Its label.
    pub(crate) label: String,
    /// `full`, `diff` or `incr`.
    pub(crate) kind: String,
    /// When it ended, in seconds since 1970.
    pub(crate) ended_at: i64,
}

impl NewestBackup {
    /// When it ended, as others write a moment.
    pub(crate) fn moment(&self) -> Result<String> {
        let moment = jiff::Timestamp::from_second(self.ended_at);
        Ok(moment.context("a backup ended at no time")?.to_string())
    }
}

/// A call of pgBackRest as the owner of the backups.
fn command(layout: &Layout) -> Result<Command> {
    let mut command = command_as_owner("pgbackrest", &layout.backups())?;
    command.arg(format!("--config={}", layout.backrest_configuration().display()));
    command.arg(format!("--config-include-path={}", layout.backrest_secrets().display()));
    command.arg(format!("--stanza={STANZA}"));
    Ok(command)
}

/// Creates the place of the backups, if it is not there.
pub(crate) fn create(layout: &Layout) -> Result<()> {
    output_of(command(layout)?.arg("stanza-create")).map(drop).context("no backups can be made")
}

/// Backs the cluster up: `full` or `diff`.
pub(crate) fn backup(layout: &Layout, kind: &str) -> Result<()> {
    let mut command = command(layout)?;
    output_of(command.arg(format!("--type={kind}")).arg("backup")).map(drop)
}

/// Restores into a folder, which is empty or whose files are brought in line. `to` is a moment as
/// PostgreSQL reads it; without it everything that was archived comes back.
pub(crate) fn restore(
    layout: &Layout,
    into: &Path,
    to: Option<&str>,
    options: &[&str],
) -> Result<()> {
    let mut command = command(layout)?;
    command.arg(format!("--pg1-path={}", into.display())).args(options);
    if let Some(to) = to {
        command.args(["--type=time", "--target-action=promote"]);
        command.arg(format!("--target={to}"));
    }
    output_of(command.arg("restore")).map(drop).context("the backup cannot be restored")
}

/// The newest backup; none before the first.
pub(crate) fn newest(layout: &Layout) -> Result<Option<NewestBackup>> {
    let told = output_of(command(layout)?.args(["--output=json", "info"]))?;
    read_info(&told)
}

/// When the oldest backup ended, in seconds since 1970; none before the first. What is before that
/// cannot come back.
pub(crate) fn oldest_end(layout: &Layout) -> Result<Option<i64>> {
    let told = output_of(command(layout)?.args(["--output=json", "info"]))?;
    read_oldest_end(&told)
}

fn read_oldest_end(told: &str) -> Result<Option<i64>> {
    let told: Value = serde_json::from_str(told).context("pgBackRest tells no JSON")?;
    let Some(oldest) = told.pointer("/0/backup/0") else { return Ok(None) };
    let end = oldest.pointer("/timestamp/stop").and_then(Value::as_i64);
    end.context("pgBackRest tells of a backup without an end").map(Some)
}

/// The cluster whose backups these are, as PostgreSQL numbers clusters.
pub(crate) fn cluster_number(layout: &Layout) -> Result<String> {
    let told = output_of(command(layout)?.args(["--output=json", "info"]))?;
    read_cluster_number(&told)
}

fn read_cluster_number(told: &str) -> Result<String> {
    let told: Value = serde_json::from_str(told).context("pgBackRest tells no JSON")?;
    let databases = told.get(0).and_then(|stanza| stanza.get("db")?.as_array());
    let number = databases.and_then(|all| all.last()?.get("system-id"));
    Ok(number.context("pgBackRest tells of no cluster")?.to_string())
}

fn read_info(told: &str) -> Result<Option<NewestBackup>> {
    let told: Value = serde_json::from_str(told).context("pgBackRest tells no JSON")?;
    let backups = told.get(0).and_then(|stanza| stanza.get("backup")?.as_array());
    let Some(newest) = backups.and_then(|all| all.last()) else { return Ok(None) };
    let text = |name: &str| newest.get(name).and_then(Value::as_str).map(str::to_owned);
    let stop = newest.get("timestamp").and_then(|it| it.get("stop")?.as_i64());
    match (text("label"), text("type"), stop) {
        (Some(label), Some(kind), Some(ended_at)) => {
            Ok(Some(NewestBackup { label, kind, ended_at }))
        }
        _ => bail!("pgBackRest tells of a backup without label, type or end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_backup_is_the_last_one_that_is_told() {
        let told = r#"[{"backup":[{"label":"a","type":"full","timestamp":{"start":1,"stop":2}},
            {"label":"b","type":"diff","timestamp":{"start":3,"stop":4}}]}]"#;
        let newest = read_info(told).unwrap().unwrap();
        assert_eq!(
            (newest.label.as_str(), newest.kind.as_str(), newest.ended_at),
            ("b", "diff", 4)
        );
        assert_eq!(read_oldest_end(told).unwrap(), Some(2));
        assert_eq!(read_oldest_end(r#"[{"backup":[]}]"#).unwrap(), None);
        assert_eq!(read_info(r#"[{"backup":[]}]"#).unwrap(), None);
        assert_eq!(read_info("[]").unwrap(), None);
        assert!(read_info("nothing").is_err());
    }

    #[test]
    fn the_cluster_is_the_last_one_that_is_told() {
        let told =
            r#"[{"db":[{"id":1,"system-id":7000},{"id":2,"system-id":7597000000000000001}]}]"#;
        assert_eq!(read_cluster_number(told).unwrap(), "7597000000000000001");
        assert!(read_cluster_number("[]").is_err());
    }
}
