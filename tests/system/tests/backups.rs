//! Backups are worth what can be restored from them: a practice that an earlier release has left
//! behind is backed up by pgBackRest, restored to moments, drilled, and moved to another place.
use std::fs;

use anyhow::{Context as _, Result, ensure};
use system::installed::{InstalledPractice, succeeded};
use system::kept::Kept;

#[test]
fn a_practice_comes_back_as_it_was_at_a_moment() -> Result<()> {
    let kept = Kept::all()?.pop().context("no practice was kept")?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    installed.sukoon(&["check"])?;
    installed.sukoon(&["backup"])?;
    installed.set_clocks(&kept)?;
    // Something happens after the backup, and after the moment that is wanted back something else.
    installed.sql("booking", "comment on table clock is 'before'")?;
    let moment = installed.sql(
        "booking",
        "select to_char(clock_timestamp() at time zone 'UTC', \
         'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    )?;
    installed.sql("booking", "comment on table clock is 'after'; select pg_switch_wal()")?;
    let pictures = installed.root.join("var/lib/sukoon/reviews/pictures/reviews");
    let count = fs::read_dir(&pictures)?.count();
    ensure!(count > 0, "there are no pictures");
    fs::remove_dir_all(&pictures)?;
    fs::create_dir(&pictures)?;
    installed.sukoon(&["restore", "--yes", "--to", &moment])?;
    let comment = "select obj_description('clock'::regclass)";
    ensure!(installed.sql("booking", comment)? == "before", "another moment came back");
    ensure!(fs::read_dir(&pictures)?.count() == count, "pictures are missing");
    let due = "select count(*) from timers where kind = 'list-payments' and due_at <= clock_now()";
    ensure!(installed.sql("payments", due)? != "0", "the provider will not be asked");
    Ok(())
}

#[test]
fn a_drill_judges_what_it_restores() -> Result<()> {
    let kept = Kept::all()?.pop().context("no practice was kept")?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    installed.sukoon(&["backup", "--full"])?;
    installed.set_clocks(&kept)?;
    installed.sukoon(&["drill"])?;
    let result = installed.drill_result()?;
    ensure!(result["sound"] == true && result["bookings"].as_u64() >= Some(20), "{result:#}");
    installed.set_clocks(&kept)?;
    // A person breaks the practice; what was archived since the backup is in the drill.
    installed.sql("booking", "delete from timers where kind = 'session-end'")?;
    installed.sql("booking", "select pg_switch_wal()")?;
    let done = installed.command(&["drill"])?.output()?;
    let result = installed.drill_result()?;
    ensure!(!done.status.success() && result["sound"] == false, "{result:#}");
    ensure!(result["broken"][0]["invariant"] == "I7", "{result:#}");
    Ok(())
}

#[test]
fn a_practice_moves_in_one_sealed_file() -> Result<()> {
    let kept = Kept::all()?.pop().context("no practice was kept")?;
    let old = InstalledPractice::init()?;
    old.fill(&kept)?;
    old.set_clocks(&kept)?;
    let file = old.root.join("practice.sukoon");
    let said = old.sukoon(&["export", file.to_str().context("no path")?])?;
    let key = said.lines().find(|line| line.starts_with("AGE-SECRET-KEY-")).context("no key")?;
    let sealed = fs::read(&file)?;
    ensure!(sealed.starts_with(b"age-encryption.org"), "the archive is not sealed");
    let events = old.sql("booking", "select count(*), max(event_id::text) from events")?;
    let new = InstalledPractice::init()?;
    let refused = new.command(&["import", file.to_str().context("no path")?])?.output()?;
    ensure!(!refused.status.success(), "it was imported without its key");
    let mut import = new.command(&["import", file.to_str().context("no path")?])?;
    succeeded(&import.env("SUKOON_ARCHIVE_KEY", key).output()?)?;
    let there = new.sql("booking", "select count(*), max(event_id::text) from events")?;
    ensure!(there == events, "{there} came of {events}");
    Ok(())
}
