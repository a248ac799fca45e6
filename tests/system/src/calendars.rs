//! Calendars of practitioners: one of the sandbox's that closes times, and the address at which
//! other calendars read sessions.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use testkit::until_within;

use crate::practice::Practice;
use crate::reviews::{call, sign_in};

/// The block of `practice.toml` of a calendar that the sandbox serves; a trial's settings have its
/// secret.
pub const CALENDAR: &str = "\n[[calendars]]\ncalendar_id = \"sandbox\"\nkind = \"address\"\n";

/// The staff's service for calendars.
const STAFF: &str = "booking.v1.BookingCalendarStaffService";
/// How long a reading is awaited: every part may be killed in that time.
const TIMEOUT: Duration = Duration::from_secs(240);

/// Puts a calendar with one event of an hour, far from all bookings of tests, into the sandbox.
pub async fn put_calendar(practice: &Practice, day: u32) -> Result<()> {
    let file = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:{day}@test\r\n\
         DTSTART;VALUE=DATE:209901{:02}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        1 + day % 28,
    );
    let url = format!("{}/calendars/lead.ics", practice.sandbox);
    practice.http.put(url).body(file).send().await?.error_for_status()?;
    Ok(())
}

/// Has the sandbox's calendar read, and gives sessions an address and takes it away again.
///
/// # Errors
/// When a step is refused, or the calendar is not read.
pub async fn read_and_give(practice: &Practice) -> Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    until_within(TIMEOUT, "the sandbox has the calendar", async || {
        Ok(put_calendar(practice, count).await.ok())
    })
    .await?;
    let token = until_within(TIMEOUT, "the owner is signed in", async || sign_in(practice).await);
    let token = token.await?;
    let staff = async |method: &str, body: Value| {
        call(practice, (STAFF, method), &body, |it| it.bearer_auth(&token)).await?.ok()
    };
    let read_before = read_at(&staff("ListCalendarSources", json!({})).await?);
    staff("ReadCalendarSource", json!({ "calendarId": "sandbox" })).await?;
    until_within(TIMEOUT, "the calendar is read", async || {
        let listed = staff("ListCalendarSources", json!({})).await?;
        let fine = listed["sources"][0]["problem"].as_str().unwrap_or_default().is_empty();
        let read = read_at(&listed);
        Ok((fine && read.is_some() && read != read_before).then_some(()))
    })
    .await?;
    let renewal = json!({ "idempotencyKey": format!("calendar-{count}-key") });
    let renewed = staff("RenewCalendarFeed", renewal).await?;
    let path = renewed["feed"]["path"].as_str().context("no address")?;
    let url = format!("{}{path}", practice.url);
    let status = async || practice.http.get(&url).send().await.map(|it| it.status().as_u16());
    until_within(TIMEOUT, "the sessions are served", async || {
        Ok(status().await.ok().filter(|status| *status == 200))
    })
    .await?;
    staff("StopCalendarFeed", json!({})).await?;
    let ended = until_within(TIMEOUT, "the address is answered", async || {
        Ok(status().await.ok().filter(|status| *status < 500))
    })
    .await?;
    ensure!(ended == 404, "an address that was taken away was answered with {ended}");
    Ok(())
}

fn read_at(listed: &Value) -> Option<String> {
    listed["sources"][0]["readAt"].as_str().map(str::to_owned)
}
