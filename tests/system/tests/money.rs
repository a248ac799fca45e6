//! Money that arrives late, twice, with a wrong amount, or from another device a minute later.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use checker::snapshot::Ack;
use futures::future::try_join_all;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use system::practice::RAISED_LIMITS;
use system::{Customer, Practice, TokenIssuer};
use testkit::until;

const CONFIRMED: &str = "BOOKING_STATE_MEETING_SCHEDULED";
/// How many copies of one webhook arrive at once.
const REPEATS: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn money_is_placed_or_refunded() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let issuer = TokenIssuer::of(&practice).await?;
    late_and_free(&practice, &issuer).await?;
    late_and_taken(&practice, &issuer).await?;
    paid_a_minute_after_checkout_was_closed(&practice, &issuer).await?;
    a_webhook_comes_a_hundred_times(&practice, &issuer).await?;
    another_amount_is_signed(&practice, &issuer).await?;
    a_link_leads_back(&practice, &issuer).await?;
    a_link_ends_with_its_hold(&practice, &issuer).await?;
    practice.run_to_completion().await?;
    practice.check().await
}

/// A booking with its order.
struct Ordered<'p> {
    customer: Customer<'p>,
    starts_at: String,
    booking_id: String,
    order_id: String,
}

/// A client with the last offered slot, because these tests move the clocks.
async fn held<'p>(
    practice: &'p Practice,
    issuer: &TokenIssuer,
    name: &str,
) -> Result<(Customer<'p>, String, String)> {
    let customer = Customer::with_issued_token(practice, issuer, name)?;
    let starts_at = customer.free_starts("meditation").await?.pop().context("nothing is free")?;
    let booking_id = customer.hold("meditation", &starts_at, "money-key").await?;
    Ok((customer, starts_at, booking_id))
}

async fn ordered<'p>(
    practice: &'p Practice,
    issuer: &TokenIssuer,
    name: &str,
) -> Result<Ordered<'p>> {
    let (customer, starts_at, booking_id) = held(practice, issuer, name).await?;
    let order_id = customer.order(&booking_id).await?;
    Ok(Ordered { customer, starts_at, booking_id, order_id })
}

async fn late_and_free(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let late = ordered(practice, issuer, "Late").await?;
    practice.advance_clocks(16).await?;
    late.customer.wait_for_state(&late.booking_id, "BOOKING_STATE_EXPIRED").await?;
    practice.pay(&late.order_id).await?;
    late.customer.wait_for_state(&late.booking_id, CONFIRMED).await?;
    Ok(())
}

async fn late_and_taken(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let late = ordered(practice, issuer, "Later").await?;
    practice.advance_clocks(16).await?;
    late.customer.wait_for_state(&late.booking_id, "BOOKING_STATE_EXPIRED").await?;
    // This mail is dropped if the money arrives before it is sent.
    until("the way back was mailed", async || {
        Ok((late.customer.mails().await?.len() == 1).then_some(()))
    })
    .await?;
    let quick = Customer::with_issued_token(practice, issuer, "Quick")?;
    quick.hold("meditation", &late.starts_at, "quick-key").await?;
    practice.pay(&late.order_id).await?;
    late.customer.wait_for_state(&late.booking_id, "BOOKING_STATE_PAID_UNPLACED").await?;
    until("the money is back", async || {
        let booking = late.customer.booking(&late.booking_id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await?;
    // The end of the hold, the start of the refund and its end.
    until("each step was mailed", async || {
        Ok((late.customer.mails().await?.len() == 3).then_some(()))
    })
    .await
}

/// The checkout was closed; the payer confirms on the telephone a minute after the bank declined.
async fn paid_a_minute_after_checkout_was_closed(
    practice: &Practice,
    issuer: &TokenIssuer,
) -> Result<()> {
    let slow = ordered(practice, issuer, "Slow").await?;
    slow.customer.open_checkout(&slow.booking_id).await?;
    let body = json!({
        "order_id": slow.order_id, "method": "upi", "outcome": "late", "delay_ms": 3_600_000,
    });
    let attempt = practice.sandbox_post("/api/pay", &body).await?;
    until("the attempt has failed", async || {
        let booking = slow.customer.booking(&slow.booking_id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_FAILED").then_some(()))
    })
    .await?;
    practice.advance_clocks(1).await?;
    let agreed = json!({ "payment_id": attempt["payment_id"] });
    practice.sandbox_post("/api/late", &agreed).await?;
    slow.customer.wait_for_state(&slow.booking_id, CONFIRMED).await?;
    Ok(())
}

async fn a_webhook_comes_a_hundred_times(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let paid = ordered(practice, issuer, "Told").await?;
    // The sandbox sends no webhooks of its own.
    let silence = json!({ "target": "webhook", "kind": "drop", "times": 0 });
    practice.sandbox_post("/api/faults", &silence).await?;
    let answer = practice.pay(&paid.order_id).await?;
    let body = event(&answer["payment"]);
    let posts = (0..REPEATS).map(|_one| post(practice, &body, "evt_told_often"));
    let statuses = try_join_all(posts).await?;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let body_sha256 = <Sha256 as sha2::Digest>::digest(&body).to_vec();
    let event_id = "evt_told_often".to_owned();
    practice.record_ack(Ack::Webhook { event_id, body_sha256 });
    paid.customer.wait_for_state(&paid.booking_id, CONFIRMED).await?;
    practice.http.delete(format!("{}/api/faults", practice.sandbox)).send().await?;
    assert_eq!(count(practice, "booking", "BookingConfirmed", &paid.booking_id).await?, 1);
    assert_eq!(count(practice, "payments", "PaymentVerified", &paid.booking_id).await?, 1);
    Ok(())
}

/// A correctly signed answer reports another amount than was ordered.
async fn another_amount_is_signed(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let wrong = ordered(practice, issuer, "Wrong").await?;
    let body = json!({ "order_id": wrong.order_id, "method": "upi", "amount": 100 });
    let paid = practice.sandbox_post("/api/pay", &body).await?;
    assert_eq!(post(practice, &event(&paid["payment"]), "evt_other_amount").await?, 200);
    until("it is seen and goes back", async || {
        let requested = count(practice, "payments", "RefundRequested", &wrong.booking_id).await?;
        Ok((requested == 1).then_some(()))
    })
    .await?;
    assert_eq!(count(practice, "payments", "PaymentVerified", &wrong.booking_id).await?, 0);
    assert_eq!(count(practice, "booking", "BookingConfirmed", &wrong.booking_id).await?, 0);
    let log = practice.log("payments")?;
    let alarm = log.lines().find(|line| {
        line.contains("ERROR")
            && line.contains("does not match")
            && line.contains(&wrong.booking_id)
    });
    alarm.context("nobody was alarmed")?;
    Ok(())
}

/// No webhook arrives; the page of the link leads its payer back with the provider's signature.
async fn a_link_leads_back(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let (customer, _, booking_id) = held(practice, issuer, "Linked").await?;
    let link_id = customer.link(&booking_id).await?;
    customer.open_checkout(&booking_id).await?;
    let silence = json!({ "target": "webhook", "kind": "drop", "times": 0 });
    practice.sandbox_post("/api/faults", &silence).await?;
    practice.sandbox_post("/api/pay", &json!({ "link_id": link_id, "method": "upi" })).await?;
    let page = link(practice, &link_id).await?["short_url"].as_str().context("url")?.to_owned();
    let back = redirect(practice, &format!("{page}/return")).await?;
    assert!(back.starts_with(&format!("{}/pay/link-return?", practice.url)), "{back}");
    let flow = redirect(practice, &back).await?;
    assert_eq!(flow, format!("/booking-flow?step=verification&b={booking_id}"));
    customer.wait_for_state(&booking_id, CONFIRMED).await?;
    practice.http.delete(format!("{}/api/faults", practice.sandbox)).send().await?;
    Ok(())
}

/// The link of a hold that has ended is cancelled, and money that its page takes later is placed.
async fn a_link_ends_with_its_hold(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let (customer, _, booking_id) = held(practice, issuer, "Unlinked").await?;
    let link_id = customer.link(&booking_id).await?;
    practice.advance_clocks(16).await?;
    customer.wait_for_state(&booking_id, "BOOKING_STATE_EXPIRED").await?;
    until("the link is over", async || {
        let status = link(practice, &link_id).await?["status"].clone();
        Ok(["cancelled", "expired"].iter().any(|word| status == *word).then_some(()))
    })
    .await?;
    let late = json!({ "link_id": link_id, "method": "upi", "over": true });
    practice.sandbox_post("/api/pay", &late).await?;
    customer.wait_for_state(&booking_id, CONFIRMED).await?;
    Ok(())
}

/// A link in the provider's book.
async fn link(practice: &Practice, link_id: &str) -> Result<Value> {
    let book = practice.book().await?;
    let mut links = book["payment_links"].as_array().into_iter().flatten();
    links.find(|link| link["id"] == link_id).cloned().context("no such link")
}

/// Where an address leads.
async fn redirect(practice: &Practice, url: &str) -> Result<String> {
    let answer = practice.http.get(url).send().await?;
    assert_eq!(answer.status(), 303, "{url}");
    let location = answer.headers().get("location").context("it leads nowhere")?;
    Ok(location.to_str()?.to_owned())
}

/// How many events of a type concern a booking.
async fn count(practice: &Practice, service: &str, kind: &str, booking_id: &str) -> Result<i64> {
    let mut database = practice.database(service).await?;
    let found = sqlx::query_scalar(
        "select count(*) from events
         where event_type like '%.' || $1 and payload ->> 'bookingId' = $2",
    )
    .bind(kind)
    .bind(booking_id)
    .fetch_one(&mut database)
    .await?;
    Ok(found)
}

/// The provider's webhook for a captured payment.
fn event(payment: &Value) -> Vec<u8> {
    let event = json!({
        "entity": "event", "account_id": "acc_SandboxAcc0001", "event": "payment.captured",
        "contains": ["payment"], "payload": { "payment": { "entity": payment } },
        // Differs from the sandbox's own body, which would be the same webhook.
        "created_at": payment["created_at"].as_i64().unwrap_or_default() + 1,
    });
    event.to_string().into_bytes()
}

async fn post(practice: &Practice, body: &[u8], event_id: &str) -> Result<u16> {
    let record = practice.record()?;
    let secret = record["provider"]["webhook_secret"].as_str().context("no secret")?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(body);
    let mut signature = String::new();
    for byte in mac.finalize().into_bytes() {
        write!(signature, "{byte:02x}")?;
    }
    let sent = practice
        .http
        .post(format!("{}/webhooks/razorpay", practice.url))
        .header("x-razorpay-signature", signature)
        .header("x-razorpay-event-id", event_id)
        .body(body.to_vec());
    Ok(sent.send().await?.status().as_u16())
}
