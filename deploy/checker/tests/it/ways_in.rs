//! Ways into accounts that are older than the proof of their address are listed before the upgrade
//! that closes them and counted after it.

use anyhow::{Context as _, Result, ensure};
use checker::Report;

use crate::kept::{self, Practice};

/// An account whose passkey a stranger may have added before its address was proved.
const PREPARED: &str = "
    insert into users (user_id, identity_id, email, email_confirmed_at, email_proved_at, created_at,
                       updated_at)
    values ('00000000-0000-4000-8000-00000000000a', gen_random_uuid(), 'asha@example.test',
            clock_now(), clock_now(), clock_now(), clock_now());
    insert into passkeys (passkey_id, user_id, friendly_name, user_handle, credential_id,
                          public_key, credential_state, created_at)
    values (gen_random_uuid(), '00000000-0000-4000-8000-00000000000a', 'key', '', 'asha', '', '',
            clock_now() - interval '1 day');";

fn tasks_with<'r>(report: &'r Report, words: &str) -> Vec<&'r String> {
    report.tasks.iter().filter(|task| task.contains(words)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn older_ways_in_are_listed_before_and_after_the_upgrade() -> Result<()> {
    let folder = kept::all()?.pop().context("no practice")?;
    let practice = Practice::restore(&folder).await?;
    practice.execute("identity", PREPARED).await?;
    let account = "account 00000000-0000-4000-8000-00000000000a has ways in that are older";
    let report = practice.check().await?;
    ensure!(tasks_with(&report, account).len() == 1, "{report}");
    let closed = "delete from passkeys where credential_id = 'asha';
                  insert into upgrade_tasks (name, done_at, accounts)
                  values ('close_older_ways', clock_now(), 1)
                  on conflict (name) do update set accounts = 1";
    practice.execute("identity", closed).await?;
    let report = practice.check().await?;
    ensure!(tasks_with(&report, account).is_empty(), "{report}");
    ensure!(tasks_with(&report, "were closed in 1 accounts").len() == 1, "{report}");
    // Before its migrations it has no count, which is no fault.
    practice.execute("identity", "alter table upgrade_tasks drop column accounts").await?;
    let report = practice.check().await?;
    ensure!(tasks_with(&report, "were closed").is_empty(), "{report}");
    practice.execute("identity", "alter table passkeys rename to passkeys_of_before").await?;
    let report = practice.check().await?;
    let another = report.unjudged.iter().any(|it| it.contains("tables are of another release"));
    ensure!(another, "{report}");
    Ok(())
}
