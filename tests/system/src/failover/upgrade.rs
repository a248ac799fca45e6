//! The drill of an upgrade: programs of an earlier release run under load, the schema is migrated
//! below them, new programs join them and take over; then the way back on the new schema, and there
//! again.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use eventstore::new_uuid;
use tokio::time::Instant;

use super::figures::Report;
use super::fleet::Fleet;
use super::load::{Load, Rate};
use super::settling;
use crate::pause::wait_for;
use crate::practice::STORES;
use crate::saga::SagaRunner;
use crate::timetable;
use crate::verdict::Verdict;

/// The order of a rollout: readers of booking's events come before booking itself.
const THERE: [&str; 7] =
    ["catalogue", "identity", "payments", "notifications", "reviews", "gateway", "booking"];
/// The readers of booking's events, and the other parts in the order of going back.
const READERS: [&str; 3] = ["payments", "notifications", "reviews"];
const OTHERS: [&str; 4] = ["booking", "catalogue", "identity", "gateway"];
/// Secrets of booking that a release since 05e2ca1 has added.
const NEWER_SECRETS: [&str; 2] = ["BOOKING_CONSENT_KEY", "BOOKING_FEED_KEY"];
/// For how long both releases run side by side, and the new one alone.
const TOGETHER: Duration = Duration::from_secs(10);

/// Goes from the programs of `old` to those of `new`, back, and there again. Where `old` has a
/// folder `practice`, that is what all of them read: an earlier release does not know the words of
/// a later one.
pub async fn there_and_back(rate: Rate, old: &Path, new: &Path) -> Result<Report> {
    let practice = Some(old.join("practice")).filter(|it| it.is_dir());
    let practice = practice.unwrap_or_else(timetable::usual);
    let (mut fleet, mut server) = Fleet::take_over_from(&old.join("sukoon"), &practice).await?;
    // Third parties are of no release of ours.
    fleet.set_sandbox_of(new)?;
    add_secrets(&mut fleet)?;
    fleet.start_on(&mut server).await?;
    let before = migrations(&fleet).await?;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        let began = Instant::now();
        wait_for(TOGETHER / 2).await;
        fleet.complete_practice(new).context("completing the practice's folder")?;
        for service in STORES {
            fleet.migrate(new, service).with_context(|| format!("migrating {service}"))?;
        }
        replace_all(&fleet, new, &THERE).await.context("there")?;
        wait_for(TOGETHER).await;
        let mut back = THERE;
        // Booking goes back first, so that nothing new is written for readers of the old release.
        back.rotate_right(1);
        replace_all(&fleet, old, &back).await.context("back")?;
        wait_for(TOGETHER).await;
        // What only the new release can do, such as a kind of timer, has waited for it.
        replace_all(&fleet, new, &THERE).await.context("there again")?;
        anyhow::Ok((began, Instant::now()))
    };
    let (ran, script) = tokio::join!(load.run(), script);
    ran?;
    let (began, ended) = script?;
    let tally = load.tally();
    let slowest = tally.slowest();
    let during = tally.acknowledged_between(began, ended);
    ensure!(during > 0, "nothing was booked meanwhile");
    let after = migrations(&fleet).await?;
    let back = go_back_with_newer_kinds(&fleet, old, new).await?;
    let verdict = settling::judge(&fleet).await?;
    let is_over_in_time = tally.acknowledged.iter().any(|(asked, _)| *asked > ended);
    let mut report = Report::new("upgrade", rate, (tally, slowest), verdict);
    report.require(is_over_in_time, "the load ended before the new programs were there again");
    report.require(
        back.is_clean(),
        format!("on the old programs it is not as it must be: {}", back.details.join("; ")),
    );
    report.note(format!(
        "there, back and there again in {} s, {during} bookings acknowledged meanwhile; {} \
         migrations were new; the longest time between two acknowledgements is in the table",
        (ended - began).as_secs(),
        after - before,
    ));
    Ok(report)
}

/// Makes a booking and an act of each kind that came later than the first release. The events of
/// the last acts are read by the old programs first, because their readers are away meanwhile. All
/// comes to rest on the old programs, and goes on with the new ones, which read again what those
/// passed over. Returns what the checker says in between.
async fn go_back_with_newer_kinds(fleet: &Fleet, old: &Path, new: &Path) -> Result<Verdict> {
    let runner = SagaRunner::new(&fleet.practice).await?;
    runner.run_newer().await.context("newer kinds")?;
    let acts = runner.prepare_acts().await.context("newer kinds")?;
    for part in READERS {
        fleet.end(part).await?;
    }
    runner.act(&acts).await.context("newer acts")?;
    for part in READERS {
        fleet.begin(part, old).await.with_context(|| format!("back to the old {part}"))?;
    }
    replace_all(fleet, old, &OTHERS).await.context("back with newer kinds")?;
    let mut back = settling::judge(fleet).await?;
    // These wait for a program that knows them: parked events, and the end of a session of which
    // the old programs can't read what staff marked.
    let marked = acts.marked();
    back.take_known(|what| {
        let is_its_end = what.contains("session-end") && what.contains(marked);
        what.starts_with("parked: ") || (is_its_end && what.matches(" try ").count() < 2)
    });
    replace_all(fleet, new, &THERE).await.context("there with newer kinds")?;
    Ok(back)
}

/// Makes the secrets that the old release did not have, as a person does before an upgrade.
fn add_secrets(fleet: &mut Fleet) -> Result<()> {
    for name in NEWER_SECRETS {
        let launch = fleet.launch("booking")?;
        let file = format!("{name}_FILE");
        if launch.setting(name).or(launch.setting(&file)).is_none() {
            let word = [new_uuid(), new_uuid()].map(|it| it.simple().to_string()).concat();
            fleet.set(name, &word);
        }
    }
    Ok(())
}

/// Starts the programs of this folder beside those that run, lets both serve, and then stops what
/// ran before, one after the other.
async fn replace_all(fleet: &Fleet, programs: &Path, order: &[&'static str]) -> Result<()> {
    let mut joined = Vec::with_capacity(order.len());
    for part in order.iter().copied() {
        let beside = fleet.join(part, programs).await;
        joined.push((part, beside.with_context(|| format!("starting {part}"))?));
    }
    wait_for(TOGETHER).await;
    for (part, beside) in joined {
        fleet.replace(part, beside).await.with_context(|| format!("stopping {part}"))?;
    }
    fleet.check_alive()
}

/// How many migrations all databases have.
async fn migrations(fleet: &Fleet) -> Result<i64> {
    let mut count = 0;
    for service in STORES {
        let mut database = fleet.practice.database(service).await?;
        let sql = "select count(*) from _sqlx_migrations";
        count += sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut database).await?;
    }
    Ok(count)
}
