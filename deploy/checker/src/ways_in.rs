//! Ways into accounts that are older than the proof of their address: each account before the
//! upgrade that closes them, and how many they were after it. They break nothing that the checker
//! judges.

use anyhow::Result;
use sqlx::Row as _;
use uuid::Uuid;

use crate::report::Report;
use crate::stores::{Store, Stores};

/// The question of `identity older-ways`.
const LIST: &str = include_str!("../../../services/identity/src/repository/older_ways.sql");
/// Whether there is a count of what the upgrade has done.
const COUNTS: &str = "select count(*) > 0 from information_schema.columns
                      where table_name = 'upgrade_tasks' and column_name = 'accounts'";
const CLOSED: &str = "select accounts from upgrade_tasks
                      where name = 'close_older_ways' and accounts > 0";

/// Lists them. It is the last that is asked of identity, because a database of another release may
/// refuse the question.
pub(crate) async fn tasks(stores: &mut Stores, report: &mut Report) {
    let Some(identity) = &mut stores.identity else { return };
    match listed(identity).await {
        Ok(tasks) => report.tasks.extend(tasks),
        Err(_another_release) => report.unjudged.push(
            "ways into accounts that are older than the proof of their address: identity's tables \
             are of another release"
                .to_owned(),
        ),
    }
}

async fn listed(identity: &mut Store) -> Result<Vec<String>> {
    let counts: Vec<bool> = identity.rows(sqlx::query(COUNTS), |row| row.try_get(0)).await?;
    let closed: Vec<i32> = match counts.as_slice() {
        [true] => identity.rows(sqlx::query(CLOSED), |row| row.try_get(0)).await?,
        _ => Vec::new(),
    };
    let mut tasks: Vec<String> = closed.into_iter().map(closed_line).collect();
    let found = identity.rows(sqlx::query(LIST), |row| row.try_get::<Uuid, _>("user_id")).await?;
    tasks.extend(found.into_iter().map(open_line));
    Ok(tasks)
}

fn closed_line(accounts: i32) -> String {
    format!(
        "ways in that were older than the proof of the address were closed in {accounts} accounts; \
         their people were told"
    )
}

fn open_line(user_id: Uuid) -> String {
    format!(
        "account {user_id} has ways in that are older than the proof of its address; `identity \
         older-ways` counts them, and the first start of identity after the upgrade closes them"
    )
}
