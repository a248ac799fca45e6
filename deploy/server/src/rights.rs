//! What had ended stays ended after a restore: members, passwords, second factors, calendar
//! addresses, consents, keys of bookings' pages. Before the practice's data are replaced, a list is
//! kept outside of them of what is in force: from the practice's own cluster, or where that is
//! lost, from the end of its log of changes, which lies with the backups. What a restored practice
//! has and the list has not is taken away before the practice opens. All sessions end in any case.
use super::cluster::Cluster;
use super::drill::Place;
use super::layout::Layout;
use super::operations;
use super::postmaster::Scratch;
use super::power;
use super::{backrest, cluster};
use anyhow::{Context, Result, ensure};
use machine::environment::Environment;
use machine::output;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// The name under which the list is kept while a restore has not ended. Without it the practice may
/// open; `sukoon-migrate.service` has the same name.
const UNFINISHED: &str = "restoring";
/// How long a cluster that was stopped may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
/// The scratch cluster's port, which only names its socket.
const PORT: u16 = 7434;
/// A dollar quote that no JSON of ids has.
const QUOTE: &str = "$rights$";

/// A database with what is in force in it, and how what had ended is taken away.
struct Part {
    database: &'static str,
    list: &'static str,
    always: &'static str,
    apply: &'static str,
    /// What a person has to look at when it is not known what had ended.
    in_force: &'static str,
}

const PARTS: [Part; 3] = [
    Part {
        database: "booking",
        list: include_str!("rights/booking_list.sql"),
        always: "",
        apply: include_str!("rights/booking_apply.sql"),
        in_force: include_str!("rights/booking_in_force.sql"),
    },
    Part {
        database: "identity",
        list: include_str!("rights/identity_list.sql"),
        always: include_str!("rights/sessions_end.sql"),
        apply: include_str!("rights/identity_apply.sql"),
        in_force: include_str!("rights/identity_in_force.sql"),
    },
    Part {
        database: "notifications",
        list: include_str!("rights/notifications_list.sql"),
        always: "",
        apply: include_str!("rights/notifications_apply.sql"),
        in_force: include_str!("rights/notifications_in_force.sql"),
    },
];

/// Whether a restore did not end. It goes on with its list, because the cluster may hold restored
/// data by now.
pub(crate) fn is_unfinished(layout: &Layout) -> bool {
    operations::kept(layout, UNFINISHED).is_some()
}

/// Keeps the list before the data are replaced.
pub(crate) async fn remember(layout: &Layout, goes_back: bool) -> Result<()> {
    output::step("listing what is in force now");
    let list = match of_practice(layout).await {
        Ok(list) => list,
        Err(error) => {
            output::problem(&error.context("the practice's own cluster does not say it"));
            // Without a moment everything that was archived comes back, and what ended with it.
            if goes_back { of_log_or_none(layout).await } else { Value::Null }
        }
    };
    operations::keep(layout, UNFINISHED, &json!({ "list": list }))
}

/// The restore did not replace anything, or everything is done.
pub(crate) fn forget(layout: &Layout) -> Result<()> {
    fs::remove_file(layout.operations().join(format!("{UNFINISHED}.json")))
        .context("the list of what was in force cannot be removed")
}

/// Takes away what had ended, before the practice opens. It may be done again.
pub(crate) fn take_away(layout: &Layout, cluster: &Cluster, as_it_was: bool) -> Result<()> {
    let noted = operations::kept(layout, UNFINISHED).unwrap_or_default();
    let list = noted.get("list").filter(|list| list.is_object());
    for part in PARTS.iter().filter(|part| !part.always.is_empty()) {
        cluster.run_script(part.database, &format!("begin;\n{}\ncommit;", part.always))?;
    }
    output::line("All sessions have ended: everybody signs in again.");
    let Some(list) = list else {
        output::line(
            "It is not known what had ended since. Who was removed may be back; look at what is in \
             force now:",
        );
        return told(cluster, |part| Ok(part.in_force.to_owned()));
    };
    let doubtful = is_doubtful(cluster, list)?;
    if doubtful || as_it_was {
        output::line(match doubtful {
            true => {
                "The practice had lost its members or most accounts. So what had ended is back:"
            }
            false => "As asked for, what had ended is back:",
        });
    } else {
        output::line("What had ended was taken away again:");
    }
    let end = if doubtful || as_it_was { "rollback;" } else { "commit;" };
    told(cluster, |part| {
        let of_part = list.get(part.database).context("the list is not whole")?;
        Ok(format!(
            "begin;
             create temp table rights on commit drop as
             select {QUOTE}{of_part}{QUOTE}::jsonb as list;
             create temp table differences (what text, count bigint) on commit drop;
             {}
             select '  ' || count || ' ' || what from differences where count > 0;
             {end}",
            part.apply
        ))
    })
}

/// Runs a script in each database, and prints what it says.
fn told(cluster: &Cluster, script: impl Fn(&Part) -> Result<String>) -> Result<()> {
    let mut is_silent = true;
    for part in &PARTS {
        for line in cluster.answer(part.database, &script(part)?)?.lines() {
            output::line(line);
            is_silent = false;
        }
    }
    if is_silent {
        output::line("  nothing");
    }
    Ok(())
}

/// Whether what was in force looks like a loss, which a restore is to mend, and not like the
/// practice.
fn is_doubtful(cluster: &Cluster, list: &Value) -> Result<bool> {
    let accounts = list.pointer("/identity/accounts").and_then(Value::as_object);
    let members = list.pointer("/booking/members").and_then(Value::as_object);
    let has_owner = members.is_some_and(|it| it.values().any(|role| role == "owner"));
    let number = |database, sql| -> Result<usize> {
        cluster.ask(database, sql)?.parse::<usize>().context("PostgreSQL answers no number")
    };
    let restored = number("identity", "select count(*) from users")?;
    let owners = "select count(*) from staff_members where active and role = 'owner'";
    let owners = number("booking", owners)?;
    let lost_owner = owners > 0 && !has_owner;
    Ok(lost_owner || accounts.map_or(0, serde_json::Map::len) * 2 < restored)
}

/// What is in force by the practice's own cluster.
async fn of_practice(layout: &Layout) -> Result<Value> {
    if layout.is_the_machine() {
        power::start_cluster(layout)?;
    }
    let cluster = power::cluster(layout)?;
    cluster
        .ask("postgres", "select 1")
        .or_else(|error| if layout.is_the_machine() { Ok(String::new()) } else { Err(error) })?;
    cluster.wait_until_writable(ANSWERS_WITHIN).await?;
    let number = cluster.ask("postgres", "select system_identifier from pg_control_system()")?;
    // After a loss it is a new and empty one.
    ensure!(number == backrest::cluster_number(layout)?, "the backups are of another cluster");
    listed(&cluster)
}

async fn of_log_or_none(layout: &Layout) -> Value {
    of_log(layout).await.unwrap_or_else(|error| {
        output::problem(&error.context("nor does the log of changes"));
        Value::Null
    })
}

/// The same by the end of its log of changes, read in a scratch cluster.
async fn of_log(layout: &Layout) -> Result<Value> {
    output::step("reading the log of changes to its end");
    let place = Place::make(layout)?;
    backrest::restore(layout, &place.data, None, &["--archive-mode=off"])?;
    let programs = cluster::programs(&Environment::of_this_process())?;
    let (data, socket) = (place.data.clone(), place.folder.clone());
    let scratch = Scratch::start(Cluster { programs, data, socket, port: PORT }).await?;
    let list = listed(&scratch.cluster);
    drop(scratch);
    place.remove()?;
    list
}

fn listed(cluster: &Cluster) -> Result<Value> {
    let mut list = serde_json::Map::new();
    for part in &PARTS {
        let of_part = cluster.answer(part.database, part.list)?;
        let of_part = serde_json::from_str(&of_part).context("PostgreSQL answers no list")?;
        list.insert(part.database.to_owned(), of_part);
    }
    Ok(Value::Object(list))
}
