//! The main path of a booking, from outside: held, paid, confirmed, mailed, seen in one trace.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use serde_json::json;
use system::forms::{request_guide, send_message, unsubscribe};
use system::mails::unsubscribe_token;
use system::metrics::metrics;
use system::{Collector, Customer, Practice};
use testkit::until;

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_books_pays_and_is_confirmed() -> Result<()> {
    let collector = Collector::start().await?;
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("KEY_OF_THE_SHELL", "canary-shell"),
        ("PROBE_SECONDS", "1"),
    ];
    let practice = Practice::start(&settings).await?;
    let asha = Customer::new(&practice, "Asha").await?;
    paid_with_the_browser_closed(&practice, &asha).await?;
    one_trace_shows_it(&collector).await?;
    metrics_show_it(&practice).await?;
    a_booking_takes_few_transactions(&practice, &asha).await?;
    two_want_the_same_slot(&practice, &asha).await?;
    nats_is_wiped_while_it_runs(&practice, &asha).await?;
    late_money_comes_back(&practice).await?;
    forgeries_are_refused_and_logged(&practice, &asha).await?;
    let secret = forms_are_filled_in(&practice).await?;
    practice.check().await?;
    parts_know_and_may_only_what_they_need(&practice)?;
    nothing_personal_in_logs_events_or_nats(&practice, &collector, &secret).await
}

/// The contact form, the request for the guide, and unsubscribing; returns the link's secret.
async fn forms_are_filled_in(practice: &Practice) -> Result<String> {
    let email = "forms@customers.example";
    send_message(practice, email, "canary-message, about which canary-person worries")
        .await?
        .ok()?;
    request_guide(practice, email, "journey-guide").await?.ok()?;
    let sent = until("the guide is in the inbox", async || {
        Ok(practice.mails_of("meditation_guide", "").await?.into_iter().next())
    })
    .await?;
    let secret = unsubscribe_token(&sent)?;
    assert_eq!(unsubscribe(practice, &secret).await?, 200);
    Ok(secret)
}

/// The checkout's answer never arrives: the browser is closed at the moment of payment.
async fn paid_with_the_browser_closed(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let start = asha.free_starts("general-consultation").await?.remove(0);
    let hold =
        async || asha.try_hold_with_consent("general-consultation", &start, "first-key").await;
    let booking_id = hold().await?.map_err(|refused| anyhow!("{refused:?}"))?;
    let again = hold().await?.map_err(|refused| anyhow!("{refused:?}"))?;
    assert_eq!(again, booking_id, "the same key gets the first answer");
    let order_id = asha.order(&booking_id).await?;
    asha.open_checkout(&booking_id).await?;
    practice.pay(&order_id).await?;
    let booking = asha.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    assert!(booking["joinUrl"].as_str().is_some_and(|url| url.starts_with("http")));
    let mail = practice.mail_of("booking_confirmed", &booking_id).await?;
    assert_eq!(mail["to"][0], asha.email.as_str());
    assert!(!mail["subject"].as_str().context("no subject")?.contains("Consultation"));
    assert!(!mail.to_string().contains(booking["joinUrl"].as_str().context("no room")?));
    let attached = &mail["attachments"][0];
    assert!(attached["contentType"].as_str().is_some_and(|kind| kind.contains("text/calendar")));
    practice.mail_of("practice_notice", &booking_id).await?;
    until("the page can say that the mail was sent", async || {
        let booking = asha.booking(&booking_id).await?;
        Ok((booking["mailState"] == "MAIL_STATE_SENT").then_some(()))
    })
    .await
}

/// How many transactions a confirmed booking may take that write, in all databases together: held,
/// ordered, paid, confirmed, three mails. The number only falls; `make bench ONLY=transactions` has
/// those that read as well.
const WRITING_MAX: u64 = 50;

/// PostgreSQL numbers the transactions that write. What the practice writes by itself meanwhile is
/// some of them in a second.
async fn a_booking_takes_few_transactions(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    const BOOKINGS: u64 = 3;
    let written = async || -> Result<u64> {
        let mut database = practice.database("booking").await?;
        let number = "select pg_current_xact_id()::text";
        Ok(sqlx::query_scalar::<_, String>(number).fetch_one(&mut database).await?.parse()?)
    };
    let (before, began) = (written().await?, tokio::time::Instant::now());
    for number in 0..BOOKINGS {
        let start = asha.free_starts("mental-health").await?.remove(0);
        let id = asha.hold("mental-health", &start, &format!("counted-{number}")).await?;
        let mailed = practice.inbox().await?.len();
        practice.pay(&asha.order(&id).await?).await?;
        until("its mails are there", async || {
            Ok((practice.inbox().await?.len() >= mailed + 3).then_some(()))
        })
        .await?;
    }
    let took =
        written().await?.saturating_sub(before).saturating_sub(3 * began.elapsed().as_secs());
    let most = BOOKINGS * WRITING_MAX;
    assert!(took <= most, "{BOOKINGS} bookings took {took} transactions, {most} at most");
    Ok(())
}

async fn one_trace_shows_it(collector: &Collector) -> Result<()> {
    let wanted = [
        "gateway:",
        "booking: booking.v1.BookingService/RequestBooking",
        "payments:",
        "notifications: send_mail",
    ];
    let seen = until("one trace reaches from the click to the mail", async || {
        Ok(collector.trace_with(&wanted))
    })
    .await;
    seen.map(|_spans| ()).with_context(|| collector.all())
}

/// What `docs/OBSERVABILITY.md` promises of one booking.
async fn metrics_show_it(practice: &Practice) -> Result<()> {
    let promised = [
        "gateway http_server_request_duration_seconds_count{http_request_method=\"POST\",\
         http_response_status_code=\"200\",\
         http_route=\"/rpc/booking.v1.BookingService/RequestBooking\"}",
        "booking rpc_server_call_duration_seconds_count{\
         rpc_method=\"booking.v1.BookingService/RequestBooking\",\
         rpc_response_status_code=\"OK\",rpc_system_name=\"grpc\"}",
        "payments rpc_server_call_duration_seconds_count{\
         rpc_method=\"payments.v1.PaymentsService/StartPayment\",\
         rpc_response_status_code=\"OK\",rpc_system_name=\"grpc\"}",
        "notifications sukoon_timer_duration_seconds_count{kind=\"send_mail\",outcome=\"done\"}",
        "booking sukoon_sessions_ahead 1\n",
        "booking sukoon_consumer_lag{consumer=\"booking-on-payments\"} 0\n",
        "booking sukoon_outbox_age_seconds 0\n",
        "payments sukoon_money_balance{account=\"customer_advance\",currency=\"INR\"} -",
        "payments sukoon_ledger_imbalance{currency=\"INR\"} 0\n",
        "payments sukoon_money_unexplained{reason=\"CAPTURED_NOT_PLACED\"} 0\n",
        "notifications sukoon_mails{state=\"sent\"} ",
        "booking sukoon_probe_duration_seconds_count{kind=\"hold\",outcome=\"done\"}",
        "payments sukoon_probe_duration_seconds_count{kind=\"order\",outcome=\"done\"}",
        "booking sukoon_check_failing{check=\"database\"} 0\n",
    ];
    // Some are read from the database once in half a minute.
    let missing = async || {
        let told = metrics(practice).await?;
        Ok::<_, anyhow::Error>(promised.into_iter().find(|series| !told.contains(series)))
    };
    let shown =
        until("metrics show the booking", async || Ok(missing().await?.is_none().then_some(())));
    let shown = shown.await;
    let left = missing().await?.unwrap_or_default();
    shown.with_context(|| format!("{left} is missing"))
}

async fn two_want_the_same_slot(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let ravi = Customer::new(practice, "Ravi").await?;
    let start = asha.free_starts("karmic-healing").await?.remove(0);
    let method = "booking.v1.BookingService/RequestBooking";
    let (one, two) = tokio::join!(
        asha.call(method, asha.request("karmic-healing", &start, "race-asha")),
        // Another service at the same time takes the same slot.
        ravi.call(method, ravi.request("meditation", &start, "race-ravi")),
    );
    let answers = [one?, two?];
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    let refused = answers.iter().find(|answer| answer.status != 200).context("none refused")?;
    assert_eq!(refused.reason(), "SLOT_TAKEN", "{refused:?}");
    assert!(!ravi.free_starts("meditation").await?.contains(&start), "it is offered again");
    Ok(())
}

async fn nats_is_wiped_while_it_runs(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let folder = practice.data().join("nats");
    until("its folder was removed", async || {
        // NATS goes on writing, and a folder in which a file appears cannot be removed.
        let removed = std::fs::remove_dir_all(&folder).is_ok();
        Ok((removed || !folder.exists()).then_some(()))
    })
    .await?;
    let start = asha.free_starts("energy-healing").await?.remove(3);
    let booking_id = asha.hold("energy-healing", &start, "without-nats").await?;
    let order_id = asha.order(&booking_id).await?;
    practice.pay(&order_id).await?;
    practice.kill(&["nats"])?;
    asha.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    practice.mail_of("booking_confirmed", &booking_id).await.map(|_mail| ())
}

/// Money that arrives after the hold ended and another client took the slot is refunded.
async fn late_money_comes_back(practice: &Practice) -> Result<()> {
    let (late, quick) =
        (Customer::new(practice, "Late").await?, Customer::new(practice, "Quick").await?);
    let start = late.free_starts("meditation").await?.remove(5);
    let booking_id = late.hold("meditation", &start, "late-key").await?;
    let order_id = late.order(&booking_id).await?;
    practice.move_clocks(16).await?;
    late.wait_for_state(&booking_id, "BOOKING_STATE_EXPIRED").await?;
    // This mail is dropped if the money arrives before it is sent.
    until("the way back was mailed", async || Ok((late.mails().await?.len() == 1).then_some(())))
        .await?;
    quick.hold("meditation", &start, "quick-key").await?;
    practice.pay(&order_id).await?;
    late.wait_for_state(&booking_id, "BOOKING_STATE_PAID_UNPLACED").await?;
    until("the money is back", async || {
        let booking = late.booking(&booking_id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await?;
    until("each step was mailed", async || Ok((late.mails().await?.len() >= 3).then_some(())))
        .await?;
    let refunds = practice.book().await?["refunds"].clone();
    let count = refunds
        .as_array()
        .map_or_else(|| refunds.as_object().map_or(0, serde_json::Map::len), Vec::len);
    assert_eq!(count, 1, "one refund, once: {refunds}");
    Ok(())
}

/// An answer and a webhook without the provider's signature are refused, and their content is not
/// stored.
async fn forgeries_are_refused_and_logged(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let start = asha.free_starts("meditation").await?.remove(9);
    let booking_id = asha.hold("meditation", &start, "forged-key").await?;
    asha.order(&booking_id).await?;
    let forged = json!({
        "razorpay_payment_id": "pay_ABCDEFGHIJKLMN", "razorpay_signature": "canary-signature",
    });
    let answer = asha.submit_checkout_answer(&booking_id, &forged).await?;
    assert_eq!(answer.reason(), "SIGNATURE_INVALID", "{answer:?}");
    let webhook = practice
        .http
        .post(format!("{}/webhooks/razorpay", practice.url))
        .header("x-razorpay-signature", "canary-signature")
        .header("x-razorpay-event-id", "forged-event")
        .body(r#"{"canary-body":1}"#);
    assert_eq!(webhook.send().await?.status(), 400);
    let booking = asha.booking(&booking_id).await?;
    assert_eq!(booking["state"], "BOOKING_STATE_HELD", "a forgery changed something");
    let log = practice.log("payments")?;
    let refusals = log.lines().filter(|line| line.contains("refused")).count();
    assert!(refusals >= 2, "a forgery was not logged");
    Ok(())
}

/// The files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if contains(&std::fs::read(&path).unwrap_or_default(), text.as_bytes()) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// No secret stands in an environment, a shell's own variables reach no part, and no service wanted
/// more of NATS than it may.
fn parts_know_and_may_only_what_they_need(practice: &Practice) -> Result<()> {
    let services =
        ["catalogue", "identity", "booking", "payments", "notifications", "reviews", "gateway"];
    for part in services.into_iter().chain(["postgres", "nats", "sandbox"]) {
        let environment = std::fs::read(format!("/proc/{}/environ", practice.pid(part)?))?;
        let environment = String::from_utf8_lossy(&environment).into_owned();
        assert!(!environment.contains("canary-shell"), "{part} has a variable of the shell");
        if services.contains(&part) {
            for secret in ["postgres://", "nats://", "PRIVATE KEY", "_owner"] {
                assert!(!environment.contains(secret), "{secret} in the environment of {part}");
            }
        }
    }
    let log =
        |part: &str| std::fs::read_to_string(practice.data().join(format!("logs/{part}.log")));
    for told in ["Violation", "authentication error"] {
        assert!(!log("nats")?.contains(told), "NATS refused something: {told}");
    }
    for part in services {
        assert!(!log(part)?.contains("not their source's"), "{part} heard forged events");
    }
    Ok(())
}

async fn nothing_personal_in_logs_events_or_nats(
    practice: &Practice,
    collector: &Collector,
    secret: &str,
) -> Result<()> {
    let canaries = [
        secret,
        "canary-message",
        "canary-person",
        "Canaryworth",
        "canary-notes",
        "customers.example",
        "98765 43210",
        "9876543210",
        "canary-signature",
        "canary-body",
    ];
    for entry in std::fs::read_dir(practice.data().join("logs"))? {
        let path = entry?.path();
        if path.file_stem().is_some_and(|name| name == "sandbox" || name == "postgres") {
            continue;
        }
        let log = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        for canary in canaries {
            assert!(!log.contains(canary), "{canary} stands in {}", path.display());
        }
    }
    for service in ["booking", "payments", "notifications", "identity", "reviews"] {
        let mut database = practice.database(service).await?;
        for canary in canaries {
            let found: i64 = sqlx::query_scalar(
                "select count(*) from events
                 where payload::text like '%' || $1 || '%' or metadata::text like '%' || $1 || '%'",
            )
            .bind(canary)
            .fetch_one(&mut database)
            .await?;
            assert_eq!(found, 0, "{canary} stands in {service}'s events");
        }
    }
    let measured = metrics(practice).await?;
    for canary in canaries {
        assert!(!measured.contains(canary), "{canary} stands in a metric");
        assert!(!collector.all().contains(canary), "{canary} stands in a trace");
        let kept = files_with(&practice.data().join("nats"), canary)?;
        assert!(kept.is_empty(), "{canary} stands in NATS's files: {kept:?}");
    }
    Ok(())
}
