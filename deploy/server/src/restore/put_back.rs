//! A restore that did not succeed: the data that were there come back and the practice opens with
//! them.
use super::aside;
use crate::layout::Layout;
use crate::power::{self, StartWatch};
use crate::rights;
use crate::user::command_as_owner;
use anyhow::{Context, Result};
use machine::process::output_of;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long the old data may take: after a power cut their log is read first.
const READY_WITHIN: Duration = Duration::from_secs(30 * 60);

/// The error for the terminal, which says what state the practice is in now.
pub(super) async fn after(layout: &Layout, error: anyhow::Error) -> anyhow::Error {
    match put_back(layout).await {
        Ok(()) => error.context(
            "nothing was restored; the practice has the data that it had before and starts with \
             them",
        ),
        Err(second) => error.context(format!(
            "nothing was restored, and THE PRACTICE IS STOPPED: {second:#}. Its data lie in {} or \
             {}. `sukoon restore` tries again, `systemctl start sukoon.target` starts it",
            layout.cluster().display(),
            aside::place(layout).display()
        )),
    }
}

async fn put_back(layout: &Layout) -> Result<()> {
    if rights::is_unfinished(layout) {
        let (data, kept) = (layout.cluster(), aside::place(layout));
        if kept.exists() {
            power::stop_cluster(layout)?;
            let had_opened = data.join("PG_VERSION").exists() && !has_to_recover(&data);
            aside::remove(&data)?;
            fs::rename(&kept, &data).context("the old data cannot be put back")?;
            aside::remove_note(&data)?;
            if had_opened {
                take_a_course_of_its_own(layout, &data)?;
            }
        }
        rights::forget(layout)?;
    }
    power::start_cluster(layout)?;
    let (cluster, mut watch) = (power::cluster(layout)?, StartWatch::default());
    cluster.wait_while(READY_WITHIN, || watch.require_running(layout)).await?;
    power::start_services(layout)
}

fn has_to_recover(data: &Path) -> bool {
    data.join("recovery.signal").exists()
}

/// The restored data have opened and archived a course (timeline) that begins at the moment which
/// was wanted. What the old data write from now on must not count as given up by it: they begin a
/// later course, by the same recovery with nothing to read.
fn take_a_course_of_its_own(layout: &Layout, data: &Path) -> Result<()> {
    let configuration = layout.backrest_configuration();
    let settings = format!(
        "# Written by `sukoon restore`, which has put these data back.\n\
         restore_command = 'pgbackrest --config={} --config-include-path={} --stanza=sukoon \
         archive-get %f \"%p\"'\nrecovery_target_timeline = 'current'\n",
        configuration.display(),
        layout.backrest_secrets().display()
    );
    let file = data.join("postgresql.auto.conf");
    let mut text = fs::read_to_string(&file).unwrap_or_default();
    text.push_str(&settings);
    fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    let signal = data.join("recovery.signal");
    output_of(command_as_owner("touch", data)?.arg(signal)).map(drop)
}
