//! The end of a drill: all time passes, everything ends, and the checker compares what is stored
//! with the provider's book, the mails and every acknowledgement.

use std::time::Duration;

use anyhow::Result;

use super::fleet::Fleet;
use crate::pause::wait_for;
use crate::verdict::Verdict;

/// How often the inbox is read: the sandbox keeps only its newest 2,000 mails.
const READ_MAILS_EVERY: Duration = Duration::from_secs(2);

/// Lets everything end, and judges it.
///
/// # Errors
/// When a database does not answer, or a process has ended.
pub(crate) async fn judge(fleet: &Fleet) -> Result<Verdict> {
    let mut wrong = Vec::new();
    let ending = tokio::select! {
        ended = fleet.practice.run_to_completion() => ended,
        never = record_mails(fleet) => never,
    };
    if let Err(error) = ending {
        wrong.push(format!("it does not come to rest: {error:#}"));
    }
    if let Err(error) = fleet.check_alive() {
        wrong.push(format!("{error:#}"));
    }
    Verdict::of(&fleet.practice, wrong).await
}

async fn record_mails(fleet: &Fleet) -> Result<()> {
    loop {
        fleet.practice.inbox().await?;
        wait_for(READ_MAILS_EVERY).await;
    }
}
