//! `sukoon backup`: the cluster by pgBackRest, the pictures beside it.
use super::backrest;
use super::layout::Layout;
use super::pictures;
use super::restore;
use anyhow::Result;
use machine::output;
use std::process::ExitCode;

/// How much of the cluster is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What changed since the last full backup.
    Changed,
    /// Everything; backups older than the kept ones expire.
    Full,
}

/// Backs up, and names what was made.
pub(crate) async fn run(layout: &Layout, extent: Extent) -> Result<ExitCode> {
    take(layout, extent)?;
    Ok(ExitCode::SUCCESS)
}

/// The same for other commands, which back up before they change anything.
pub(crate) fn take(layout: &Layout, extent: Extent) -> Result<()> {
    let kind = match extent {
        Extent::Changed => "diff",
        Extent::Full => "full",
    };
    backrest::backup(layout, kind)?;
    // Pictures last: a picture is stored before the review that shows it, so that no review of this
    // backup lacks one.
    let added = pictures::backup(layout)?.added;
    restore::remove_old(layout)?;
    match backrest::newest(layout)? {
        Some(newest) => output::line(format_args!(
            "backed up: {} ({}), {added} new pictures",
            newest.label, newest.kind
        )),
        None => anyhow::bail!("pgBackRest tells of no backup after it made one"),
    }
    Ok(())
}
