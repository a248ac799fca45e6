//! Outages: reminders that fall due while nothing runs, a mail server that refuses everything for a
//! day, and a payment provider that hangs.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kernel::Timestamp;
use serde_json::json;
use system::forms::{contains_text, send_message};
use system::practice::RAISED_LIMITS;
use system::{Customer, Practice, TokenIssuer};
use testkit::until;

const SERVICE: &str = "general-consultation";
const HOUR_SECONDS: i64 = 60 * 60;
/// How many bookings there are while the mail server refuses, one every two hours.
const BOOKINGS: usize = 12;

/// How many refunds wait at once: more than a process handles timers at a time.
const REFUNDS: usize = 10;
/// How long a process may take to end, on a busy machine, too.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// A paid booking with its meeting room.
async fn booked(practice: &Practice, customer: &Customer<'_>, start: &str) -> Result<String> {
    let id = customer.hold(SERVICE, start, &format!("outage-{start}")).await?;
    let order = customer.order(&id).await?;
    customer.open_checkout(&id).await?;
    practice.pay(&order).await?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok(id)
}

/// The first free start at least so many seconds after a moment.
fn first_after(starts: &[String], moment: Timestamp, seconds: i64) -> Result<&String> {
    let far = |start: &&String| {
        let at: Result<Timestamp, _> = start.parse();
        at.is_ok_and(|at| at.seconds_since(moment) >= seconds)
    };
    starts.iter().find(far).context("no free time that late")
}

async fn now(practice: &Practice) -> Result<Timestamp> {
    let mut database = practice.database("notifications").await?;
    Ok(sqlx::query_scalar("select clock_now()").fetch_one(&mut database).await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_that_fell_due_while_nothing_ran_is_sent_if_its_session_is_ahead() -> Result<()>
{
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let [begun, ahead, far] = [
        Customer::new(&practice, "Begun").await?,
        Customer::new(&practice, "Ahead").await?,
        Customer::new(&practice, "Far").await?,
    ];
    let starts = begun.free_starts(SERVICE).await?;
    let before = now(&practice).await?;
    // No booking is made after its reminder's time.
    let first = first_after(&starts, before, 25 * HOUR_SECONDS)?;
    let first_at: Timestamp = first.parse()?;
    let second = first_after(&starts, first_at, 2 * HOUR_SECONDS)?;
    let third = first_after(&starts, first_at, 30 * HOUR_SECONDS)?;
    let begun_id = booked(&practice, &begun, first).await?;
    let ahead_id = booked(&practice, &ahead, second).await?;
    let far_id = booked(&practice, &far, third).await?;
    practice.wait_until_idle().await?;
    for id in [&begun_id, &ahead_id, &far_id] {
        assert_eq!(practice.mail_state_and_error("reminder", id).await?.0, "queued");
    }

    // All reminders but the last fall due in this time, and the first session begins.
    let minutes = first_at.seconds_since(now(&practice).await?) / 60 + 10;
    practice.power_cut(minutes).await?;
    practice.wait_until_idle().await?;
    let after = now(&practice).await?;
    assert!(after > first_at && after < second.parse()?, "the clock is elsewhere: {after}");

    let mail = practice.mail_of("reminder", &ahead_id).await?;
    assert_eq!(mail["to"][0], ahead.email.as_str());
    let room = ahead.booking(&ahead_id).await?["joinUrl"].as_str().context("no room")?.to_owned();
    assert!(contains_text(&mail, "/join#key="), "the reminder leads nowhere: {mail}");
    assert!(!contains_text(&mail, &room), "the reminder names the room: {mail}");
    assert!(practice.mails_of("reminder", &begun_id).await?.is_empty(), "it has begun");
    let (state, reason) = practice.mail_state_and_error("reminder", &begun_id).await?;
    assert_eq!(state, "dropped", "{reason}");
    assert_eq!(practice.mail_state_and_error("reminder", &far_id).await?.0, "queued");

    // Reminders are sent once, also after another kill of everything.
    practice.power_cut(1).await?;
    practice.wait_until_idle().await?;
    practice.mail_of("reminder", &ahead_id).await?;
    practice.check().await
}

#[tokio::test(flavor = "multi_thread")]
async fn bookings_go_on_while_the_mail_server_refuses_for_a_day_and_every_mail_arrives_once()
-> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let refused = json!({ "target": "smtp", "kind": "refuse", "status": 451, "times": 0 });
    practice.sandbox_post("/api/faults", &refused).await?;
    let begun = now(&practice).await?;
    let mut bookings = Vec::new();
    for index in 0..BOOKINGS {
        let customer = Customer::new(&practice, "Patient").await?;
        let starts = customer.free_starts(SERVICE).await?;
        // Sessions after the outage, so that some reminders fall due within it and some later.
        let start = first_after(&starts, begun, 26 * HOUR_SECONDS)?.clone();
        bookings
            .push(booked(&practice, &customer, &start).await.with_context(|| format!("{index}"))?);
        send_message(&practice, &customer.email, "canary-message").await?.ok()?;
        practice.advance_clocks(121).await?;
        practice.wait_until_idle().await?;
    }
    assert!(now(&practice).await?.seconds_since(begun) >= 24 * HOUR_SECONDS);
    assert!(practice.inbox().await?.is_empty(), "a mail was taken");

    let url = format!("{}/api/faults", practice.sandbox);
    practice.http.delete(url).send().await?.error_for_status()?;
    // Longer than the longest pause between two attempts.
    practice.advance_clocks(75).await?;
    practice.wait_until_idle().await?;
    until("no mail is tried again", async || {
        let mut database = practice.database("notifications").await?;
        let sql = "select count(*) from mails where state in ('retrying', 'sending')";
        let left: i64 = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
        Ok((left == 0).then_some(()))
    })
    .await?;
    for id in &bookings {
        for kind in ["booking_confirmed", "practice_notice"] {
            practice.mail_of(kind, id).await?;
        }
        // It fell due during the outage, or is not due yet.
        let (state, _) = practice.mail_state_and_error("reminder", id).await?;
        assert_eq!(practice.mails_of("reminder", id).await?.len(), usize::from(state == "sent"));
    }
    let arrived = practice.mails_of("receipt", "").await?;
    assert_eq!(arrived.len(), BOOKINGS, "receipts");
    for kind in ["contact_message", "contact_acknowledgement"] {
        assert_eq!(practice.mails_of(kind, "").await?.len(), BOOKINGS, "{kind}");
    }
    practice.check().await
}

/// How many refunds wait for the provider. A lease lasts longer by five seconds than its handler
/// may take; the pause of one that has timed out is shorter than that.
async fn unanswered(practice: &Practice) -> Result<i64> {
    let mut database = practice.database("payments").await?;
    let sql = "select count(*) from timers where kind = 'refund' and attempts between 1 and 3
               and lease_until_at > clock_timestamp() + interval '5 seconds'";
    Ok(sqlx::query_scalar(sql).fetch_one(&mut database).await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_hangs_delays_only_refunds_and_stops_no_process_from_ending() -> Result<()>
{
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let mut starts = Customer::new(&practice, "Looking").await?.free_starts(SERVICE).await?;
    let issuer = TokenIssuer::of(&practice).await?;
    let owner = Customer::with_issued_token(&practice, &issuer, "Owner")?;
    sqlx::query("insert into staff_members (user_id, role) values ($1, 'owner')")
        .bind(owner.user_id()?)
        .execute(&mut practice.database("booking").await?)
        .await?;
    let mut cancelled = Vec::new();
    for _ in 0..REFUNDS {
        let customer = Customer::new(&practice, "Patient").await?;
        let start = starts.pop().context("no free time")?;
        cancelled.push(booked(&practice, &customer, &start).await?);
    }
    // Signing up takes long on a busy machine, so that is done before anything hangs.
    let patient = Customer::new(&practice, "Unbothered").await?;
    let hangs =
        json!({ "target": "refunds.create", "kind": "delay", "delay_ms": 60_000, "times": 0 });
    practice.sandbox_post("/api/faults", &hangs).await?;
    for id in &cancelled {
        let body = json!({
            "bookingId": id, "idempotencyKey": format!("hanging-{id}"),
            "cancelledBy": "CANCELLED_BY_PRACTICE",
        });
        let method = "booking.v1.BookingStaffService/CancelBooking";
        owner.as_staff(&issuer)?.call(method, body).await?.ok()?;
    }
    let taken = until("refunds hang", async || {
        let taken = unanswered(&practice).await?;
        Ok((taken >= 4).then_some(taken))
    });
    // The next ones are taken when these have timed out, so that half of the places stay free.
    assert_eq!(taken.await?, 4, "more wait for the provider than may");
    booked(&practice, &patient, &starts.pop().context("no free time")?).await?;
    assert!(unanswered(&practice).await? <= 4, "more wait for the provider than may");

    let pid = practice.pid("payments")?;
    let asked = tokio::time::Instant::now();
    practice.signal("payments", "TERM")?;
    until("payments has stopped", async || {
        Ok(practice.pid("payments").ok().is_none_or(|now| now != pid).then_some(()))
    })
    .await?;
    let took = asked.elapsed();
    ensure!(took < ENDS_WITHIN, "payments took {took:?} to stop");
    let url = format!("{}/api/faults", practice.sandbox);
    practice.http.delete(url).send().await?.error_for_status()?;
    practice.advance_clocks(75).await?;
    practice.run_to_completion().await?;
    practice.check().await
}
