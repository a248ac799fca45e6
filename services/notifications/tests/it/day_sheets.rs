//! The daily sheet: each morning, once.

use anyhow::Result;
use contract::booking::v1::{Booking, SessionMode};
use contract::convert::to_wire;
use notifications::timers::day_sheet;
use serde_json::Value;
use testkit::until;

use crate::fake_services;
use crate::world::{PRACTICE, World, new_id, text};

/// Seven in the morning in India, the day after the tests begin.
const MORNING: &str = "2026-11-22T01:30:00Z";
const JUST_BEFORE: &str = "2026-11-22T01:29:00Z";

fn unchanged(practice: &str) -> String {
    practice.to_owned()
}

/// When the timer is due, if there is one.
async fn set_for(world: &World) -> Result<Option<String>> {
    let sql = "select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')
               from timers where kind = 'day_sheet'";
    let mut all: Vec<String> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    anyhow::ensure!(all.len() < 2, "there are several timers: {all:?}");
    Ok(all.pop())
}

async fn until_set_for(world: &World, instant: &str) -> Result<()> {
    until(&format!("the sheet's timer is set for {instant}"), async || {
        Ok((set_for(world).await?.as_deref() == Some(instant)).then_some(()))
    })
    .await
}

/// The dates of the sheets and their states.
async fn sheets(world: &World) -> Result<Vec<(String, String)>> {
    let sql = "select subject, state from mails where kind = 'day_sheet' order by subject";
    Ok(sqlx::query_as(sql).fetch_all(world.store.pool()).await?)
}

async fn until_sent(world: &World, dates: &[&str]) -> Result<()> {
    let sent: Vec<_> = dates.iter().map(|it| ((*it).to_owned(), "sent".to_owned())).collect();
    until(&format!("the sheets of {dates:?} are sent"), async || {
        Ok((sheets(world).await? == sent).then_some(()))
    })
    .await
}

/// A session at an hour of that day in India, of a person with this name.
fn session(first_name: &str, starts_at: &str, mode: SessionMode) -> Booking {
    let mut booking = fake_services::booking(&new_id::<kernel::id::Booking>(), mode);
    let start: kernel::Timestamp = starts_at.parse().unwrap();
    booking.sessions[0].starts_at = Some(to_wire(start));
    booking.sessions[0].ends_at = Some(to_wire(start.plus_minutes(45)));
    booking.contact.as_mut().unwrap().first_name = first_name.to_owned();
    booking
}

#[tokio::test]
async fn each_morning_the_practice_has_its_day() -> Result<()> {
    let world = World::with(unchanged).await?;
    until_set_for(&world, MORNING).await?;
    let mut erased = session("Gone", "2026-11-22T09:30:00Z", SessionMode::Online);
    erased.contact = None;
    let bookings = vec![
        session("Bharati", "2026-11-22T04:30:00Z", SessionMode::InPerson),
        session("Asha", "2026-11-22T06:30:00Z", SessionMode::Online),
        erased,
    ];
    world.data.days.lock().unwrap().insert("2026-11-22".to_owned(), bookings);
    world.set_clock(JUST_BEFORE).await?;
    world.until_idle().await?;
    assert_eq!(sheets(&world).await?, []);

    world.set_clock(MORNING).await?;
    until_sent(&world, &["2026-11-22"]).await?;
    until_set_for(&world, "2026-11-23T01:30:00Z").await?;
    let mails = world.inbox_of(PRACTICE).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "Your sessions on Sunday 22 November 2026");
    let said = text(&mails[0], "text");
    let place = |word: &str| said.find(word).unwrap_or_else(|| panic!("no {word} in {said}"));
    assert!(place("10:00 am") < place("Bharati") && place("Bharati") < place("12:00 pm"));
    assert!(place("12:00 pm") < place("Asha") && place("Asha") < place("3:00 pm"));
    assert!(!said.contains("speak slowly"), "what a client wrote is in a mail");
    assert!(said.contains("/join/bkg_"));
    // Names are fetched when the mail is sent, and never stored.
    let kept = world.dump().await?;
    assert!(!kept.contains("Bharati") && !kept.contains("speak slowly"));

    // A day without sessions has a sheet too, so that a missing mail always means a failure.
    world.set_clock("2026-11-23T01:30:00Z").await?;
    until_sent(&world, &["2026-11-22", "2026-11-23"]).await?;
    let mails = world.inbox_of(PRACTICE).await?;
    assert!(text(&mails[1], "text").contains("Nothing is booked today"), "{mails:?}");
    world.end().await
}

fn of_two(practice: &str) -> String {
    format!("{practice}\n[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi Menon\"\n")
}

#[tokio::test]
async fn of_several_practitioners_each_session_has_its_own() -> Result<()> {
    let world = World::with(of_two).await?;
    until_set_for(&world, MORNING).await?;
    let mut second = session("Bharati", "2026-11-22T04:30:00Z", SessionMode::Online);
    "Ravi Menon".clone_into(&mut second.practitioner_name);
    let bookings = vec![second, session("Asha", "2026-11-22T06:30:00Z", SessionMode::Online)];
    world.data.days.lock().unwrap().insert("2026-11-22".to_owned(), bookings);
    world.set_clock(MORNING).await?;
    until_sent(&world, &["2026-11-22"]).await?;
    let said = text(&world.inbox_of(PRACTICE).await?[0], "text").to_owned();
    let place = |word: &str| said.find(word).unwrap_or_else(|| panic!("no {word} in {said}"));
    assert!(place("Bharati") < place("Ravi Menon") && place("Ravi Menon") < place("Asha"));
    assert!(place("Asha") < place("Meera Joshi"));
    world.end().await
}

#[tokio::test]
async fn after_several_days_down_only_todays_sheet_is_sent() -> Result<()> {
    let mut world = World::with(unchanged).await?;
    until_set_for(&world, MORNING).await?;
    world.stop().await?;
    world.set_clock("2026-11-26T08:00:00Z").await?;
    world.start();
    until_sent(&world, &["2026-11-26"]).await?;
    until_set_for(&world, "2026-11-27T01:30:00Z").await?;
    world.stop().await?;
    // Before the hour it is not sent early.
    world.set_clock("2026-11-29T00:00:00Z").await?;
    world.start();
    until_set_for(&world, "2026-11-29T01:30:00Z").await?;
    assert_eq!(sheets(&world).await?.len(), 1);
    world.set_clock("2026-11-29T01:30:00Z").await?;
    until_sent(&world, &["2026-11-26", "2026-11-29"]).await?;
    world.end().await
}

#[tokio::test]
async fn a_running_service_whose_clock_jumps_does_the_same() -> Result<()> {
    let world = World::with(unchanged).await?;
    until_set_for(&world, MORNING).await?;
    // Three days ahead, an hour and a half before the morning there.
    world.set_clock("2026-11-25T00:00:00Z").await?;
    until_set_for(&world, "2026-11-25T01:30:00Z").await?;
    assert_eq!(sheets(&world).await?, []);
    world.set_clock("2026-11-25T02:00:00Z").await?;
    until_sent(&world, &["2026-11-25"]).await?;
    // Back to the same morning: it has its sheet, and nothing comes twice.
    world.set_clock("2026-11-25T01:00:00Z").await?;
    until_set_for(&world, "2026-11-25T01:30:00Z").await?;
    world.set_clock("2026-11-25T01:30:00Z").await?;
    until_set_for(&world, "2026-11-26T01:30:00Z").await?;
    until_sent(&world, &["2026-11-25"]).await?;
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn many_that_start_at_once_set_one_timer() -> Result<()> {
    let mut world = World::new().await?;
    // What runs wants no sheet, and would end the timer.
    world.stop().await?;
    world
        .change_practice(|text| text.replace("day_sheet_at = \"\"", "day_sheet_at = \"07:00\""))?;
    let practice = world.practice()?;
    let starts = (0..8).map(|_| day_sheet::ensure_timer(&world.store, &practice));
    for started in futures::future::join_all(starts).await {
        started?;
    }
    assert_eq!(set_for(&world).await?.as_deref(), Some(MORNING));
    Ok(())
}

#[tokio::test]
async fn the_hour_and_the_wish_are_the_practices_to_change() -> Result<()> {
    let mut world = World::with(unchanged).await?;
    until_set_for(&world, MORNING).await?;
    for (from, to, expected) in [
        ("07:00", "06:15", Some("2026-11-22T00:45:00Z")),
        ("06:15", "19:30", Some("2026-11-21T14:00:00Z")),
        ("19:30", "", None),
        ("", "07:00", Some(MORNING)),
    ] {
        world.stop().await?;
        world.change_practice(|text| {
            let written = format!("day_sheet_at = \"{from}\"");
            assert!(text.contains(&written));
            text.replace(&written, &format!("day_sheet_at = \"{to}\""))
        })?;
        world.start();
        until(&format!("{from} is {to}"), async || {
            Ok((set_for(&world).await?.as_deref() == expected).then_some(()))
        })
        .await?;
    }
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}

#[tokio::test]
async fn a_sheet_that_could_not_leave_on_its_day_is_dropped() -> Result<()> {
    let world = World::with(unchanged).await?;
    until_set_for(&world, MORNING).await?;
    let down = serde_json::json!({ "target": "smtp_connect", "kind": "drop", "times": 0 });
    world.order_fault(down).await?;
    world.set_clock(MORNING).await?;
    world.until_tried("day_sheet", 1).await?;
    world.clear_faults().await?;
    world.set_clock("2026-11-22T18:30:00Z").await?;
    world.until_state("day_sheet", "dropped").await?;
    assert_eq!(world.column("day_sheet", "last_error").await?.as_deref(), Some("too_late"));
    world.end().await
}
