//! The small form: all services in one process, without NATS. The same promises hold in it, and a
//! practice moves to the other form and back with nothing but a start.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;
use system::practice::RAISED_LIMITS;
use system::saga::{Plan, SagaRunner};
use system::{Collector, Customer, Failpoints, Practice};
use testkit::until;

const SERVICES: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

/// The process's two connections to each of five databases, with what migrates and tests beside.
const CONNECTIONS_MAX: i64 = 10;

/// Starts the practice of a folder in one of its forms.
async fn started(data: &Path, form: &str, settings: &[(&str, &str)]) -> Result<Practice> {
    let settings = [settings, &[("FORM", form)]].concat();
    let mut practice = Practice::spawn_in(data.to_owned(), &settings, Stdio::inherit())?;
    practice.wait_until_ready().await?;
    Ok(practice)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_practice_moves_between_its_forms_and_nothing_changes() -> Result<()> {
    let data = Practice::new_folder();
    let collector = Collector::start().await?;
    let mut booked: Vec<(String, i64)> = Vec::new();
    for form in ["small", "many", "small"] {
        let traces = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str())];
        let practice = started(&data, form, &traces).await?;
        is_in_form(&practice, form).await?;
        for (booking_id, events) in &booked {
            assert_eq!(events_of(&practice, booking_id).await?, *events, "{form}: {booking_id}");
        }
        let booking_id = journey(&practice, form).await?;
        practice.check().await?;
        let events = events_of(&practice, &booking_id).await?;
        assert!(events > 3, "{events} events of {booking_id}");
        booked.push((booking_id, events));
        practice.stop();
        if booked.len() == 1 {
            one_trace_names_each_service(&collector)?;
        }
    }
    drop(std::fs::remove_dir_all(data));
    Ok(())
}

/// Whether the parts are one process or many.
async fn is_in_form(practice: &Practice, form: &str) -> Result<()> {
    let record = practice.record()?;
    let pids: Result<std::collections::BTreeSet<u64>> =
        SERVICES.iter().map(|part| practice.pid(part)).collect();
    let has_nats = record["parts"]["nats"].is_object() || record["nats_url"].is_string();
    let wanted = if form == "small" { (1, false) } else { (SERVICES.len(), true) };
    assert_eq!((pids?.len(), has_nats), wanted, "{form}: {record}");
    if form == "small" {
        let open = "select count(*) from pg_stat_activity
                    where usename = any (array['booking', 'payments', 'notifications',
                                               'identity', 'reviews'])";
        let open: i64 = sqlx::query_scalar(open).fetch_one(&practice.pool("booking")?).await?;
        assert!((1..=CONNECTIONS_MAX).contains(&open), "{open} connections");
    }
    Ok(())
}

/// Books, pays, and is confirmed by mail.
async fn journey(practice: &Practice, form: &str) -> Result<String> {
    let asha = Customer::new(practice, "Asha").await?;
    let start = asha.free_starts("meditation").await?.remove(3);
    let booking_id = asha.hold("meditation", &start, &format!("{form}-key")).await?;
    let order_id = asha.order(&booking_id).await?;
    asha.open_checkout(&booking_id).await?;
    let paid = practice.pay(&order_id).await?;
    asha.submit_checkout_answer(&booking_id, &paid).await?.ok()?;
    asha.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    practice.mail_of("booking_confirmed", &booking_id).await?;
    until("the page can say that the mail was sent", async || {
        let booking = asha.booking(&booking_id).await?;
        Ok((booking["mailState"] == "MAIL_STATE_SENT").then_some(()))
    })
    .await?;
    Ok(booking_id)
}

/// How many events a booking has.
async fn events_of(practice: &Practice, booking_id: &str) -> Result<i64> {
    let sql = "select count(*) from events where replace(stream_id, '-', '') like '%' || $1";
    let of = sqlx::query_scalar(sql).bind(booking_id.trim_start_matches("bkg_"));
    Ok(of.fetch_one(&practice.pool("booking")?).await?)
}

fn one_trace_names_each_service(collector: &Collector) -> Result<()> {
    let wanted = [
        "gateway:",
        "booking: booking.v1.BookingService/RequestBooking",
        "payments:",
        "notifications: send_mail",
    ];
    collector.trace_with(&wanted).map(|_spans| ()).with_context(|| collector.all())
}

/// The one process dies at durable steps of each kind: a request, a relay, a consumer before and
/// after its commit, a timer. What was acknowledged stands, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_of_the_one_process_loses_nothing() -> Result<()> {
    const STEPS: [&str; 9] = [
        "booking.app.request_booking.hold_batch.after-commit",
        "booking.relay.after-commit",
        "payments.on-booking.BookingConfirmed.after-commit",
        "payments.relay.after-commit",
        "booking.on-payments.PaymentVerified.before-commit",
        "booking.on-payments.PaymentVerified.after-commit",
        "notifications.on-booking.BookingConfirmed.before-commit",
        "notifications.on-booking.BookingConfirmed.after-commit",
        "booking.on-notifications.MailSent.after-commit",
    ];
    testkit::wait::be_patient(Duration::from_secs(600));
    let failpoints = Failpoints::new()?;
    let settings =
        [&RAISED_LIMITS[..], &[failpoints.setting()?, ("SUKOON_RESTART_MS_MAX", "50")]].concat();
    let practice = started(&Practice::new_folder(), "small", &settings).await?;
    let runner = SagaRunner::new(&practice).await?;
    for step in STEPS {
        failpoints.arm(step)?;
    }
    let plans = [Plan::Answered, Plan::WebhookOnly, Plan::Cancelled, Plan::Abandoned];
    tokio::select! {
        played = runner.run_all(&plans) => played?,
        ended = failpoints.end_leases_of_dead_processes(&practice) => ended?,
    }
    let left = failpoints.armed()?;
    assert!(left.is_empty(), "the process did not die at {left:?}");
    restarts_are_of_the_one_process(&practice.record()?, STEPS.len());
    practice.check().await
}

fn restarts_are_of_the_one_process(record: &Value, least: usize) {
    let restarts = |part: &str| record["parts"][part]["restarts"].as_u64().unwrap_or_default();
    assert!(usize::try_from(restarts("booking")).is_ok_and(|many| many >= least), "{record}");
    assert!(SERVICES.iter().all(|part| restarts(part) == restarts("booking")), "{record}");
}
