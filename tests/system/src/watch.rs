//! `sukoon watch`, as an operator leaves it running.

use std::process::Stdio;

use anyhow::{Result, ensure};
use testkit::until;

use crate::Practice;
use crate::staff_command::{command, sukoon};

const OPERATOR: &str = "operator@sukoon.example";

/// Sees the alarm by one look, and then runs on until the operator has a mail about it, which it
/// gives as text.
///
/// # Errors
/// When the alarm is not told, or not mailed.
pub async fn alarm_mailed(practice: &Practice, alert: &str) -> Result<String> {
    until("one look tells the alarm", async || {
        let look = sukoon(practice, "watch --once").await?;
        Ok((look.code == Some(1) && look.out.contains(alert)).then_some(()))
    })
    .await?;
    let mut watch = command(practice)?;
    watch.arg("watch").env("SUKOON_OPERATOR_EMAIL", OPERATOR);
    let _until_it_is_dropped = watch.stdout(Stdio::null()).kill_on_drop(true).spawn()?;
    let mail = until("the operator has a mail", async || {
        Ok(practice.inbox_of(OPERATOR).await?.into_iter().next())
    })
    .await?;
    let subject = mail["subject"].as_str().unwrap_or_default();
    ensure!(subject.starts_with("Sukoon alarm: "), "{mail}");
    Ok(mail["text"].as_str().unwrap_or_default().to_owned())
}
