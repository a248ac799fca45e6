//! All services, NATS and PostgreSQL are killed at ten moments of a booking. Each time the booking
//! is confirmed or released exactly once: one order, one capture, one confirmation. Once they are
//! proved, `make test` plays the first of each.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sqlx::PgConnection;
use system::practice::KILLABLE_PARTS;
use system::{Customer, Practice, TokenIssuer};
use testkit::until;

/// The moment of the kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    BeforeTheRequest,
    DuringTheRequest,
    AfterTheHold,
    DuringTheOrder,
    AfterTheOrder,
    AfterCheckoutWasOpened,
    WithThePayment,
    WithTheAnswer,
    AfterTheAnswer,
    AfterTheConfirmation,
}

const MOMENTS: [Moment; 10] = [
    Moment::WithThePayment,
    Moment::BeforeTheRequest,
    Moment::DuringTheRequest,
    Moment::AfterTheHold,
    Moment::DuringTheOrder,
    Moment::AfterTheOrder,
    Moment::AfterCheckoutWasOpened,
    Moment::WithTheAnswer,
    Moment::AfterTheAnswer,
    Moment::AfterTheConfirmation,
];

/// Those of a hold.
const OF_A_HOLD: [Moment; 3] =
    [Moment::DuringTheRequest, Moment::BeforeTheRequest, Moment::AfterTheHold];

/// Those of `moments` that this run plays.
fn played(moments: &[Moment]) -> Vec<Moment> {
    testkit::proof::cases("kills", moments.iter().copied()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_booking_survives_ten_kills_of_everything() -> Result<()> {
    let practice = Practice::start(&[]).await?;
    let mut bookings = BTreeSet::new();
    let mut customers = Vec::new();
    let moments = played(&MOMENTS);
    for (index, moment) in moments.iter().copied().enumerate() {
        let customer = Customer::new(&practice, "Asha").await?;
        let booked = book(&practice, &customer, moment, index).await;
        bookings.insert(booked.with_context(|| format!("{moment:?}"))?);
        confirmations(&customer).await.with_context(|| format!("{moment:?}"))?;
        customers.push(customer);
    }
    // Checked at the end, so that a late second mail is seen, too.
    for (customer, moment) in customers.iter().zip(&moments) {
        let mails = confirmations(customer).await?;
        let ids: BTreeSet<&str> = mails.iter().filter_map(|m| m["messageId"].as_str()).collect();
        assert_eq!(ids.len(), 1, "{moment:?}: {} mails, but one message", mails.len());
    }
    assert_eq!(bookings.len(), moments.len());
    money_closes(&practice, moments.len()).await?;
    an_unpaid_one_is_released(&practice).await?;
    practice.check().await
}

/// What costs nothing is confirmed by the transaction that takes its time: it is killed before, in
/// and after it, and the booking stands once.
#[tokio::test(flavor = "multi_thread")]
async fn a_free_session_survives_kills_of_everything() -> Result<()> {
    let practice = Practice::start(&[]).await?;
    let issuer = TokenIssuer::of(&practice).await?;
    let moments = played(&OF_A_HOLD);
    for (index, moment) in moments.iter().copied().enumerate() {
        let customer = Customer::with_issued_token(&practice, &issuer, "Free")?;
        let start = customer.free_starts("free-consultation").await?.remove(index);
        let key = format!("free-{index}-key");
        kill_at(&practice, Moment::BeforeTheRequest, moment)?;
        let keys = match moment {
            Moment::DuringTheRequest => Some(hold_keys(&practice).await?),
            _ => None,
        };
        let asking = customer.hold("free-consultation", &start, &key);
        let (held, killed) = tokio::join!(asking, kill_in_a_transaction(&practice, keys));
        killed?;
        let booking_id = held.with_context(|| format!("{moment:?}"))?;
        kill_at(&practice, Moment::AfterTheHold, moment)?;
        // The same click again, and another wish for a second one.
        assert_eq!(customer.hold("free-consultation", &start, &key).await?, booking_id);
        let later = customer.free_starts("free-consultation").await?.remove(20);
        let again = customer.try_hold("free-consultation", &later, "free-again-key").await?;
        assert_eq!(
            again.err().map(|refused| refused.reason()).as_deref(),
            Some("FREE_SESSION_USED")
        );
        customer.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
        let mails = confirmations(&customer).await.with_context(|| format!("{moment:?}"))?;
        let ids: BTreeSet<&str> = mails.iter().filter_map(|m| m["messageId"].as_str()).collect();
        assert_eq!(ids.len(), 1, "{moment:?}: {} mails, but one message", mails.len());
    }
    let mut booking = practice.database("booking").await?;
    let confirmed: i64 = sqlx::query_scalar(
        "select count(*) from events where event_type = 'booking.v1.BookingConfirmed'",
    )
    .fetch_one(&mut booking)
    .await?;
    assert_eq!(usize::try_from(confirmed)?, moments.len(), "one confirmation each");
    assert_eq!(list(&practice.book().await?, "orders").len(), 0, "money was asked for");
    practice.check().await
}

/// A package is held by one transaction: all of its times stand, or none.
#[tokio::test(flavor = "multi_thread")]
async fn a_package_survives_kills_of_everything() -> Result<()> {
    let practice = Practice::start(&[]).await?;
    let issuer = TokenIssuer::of(&practice).await?;
    let moments = played(&OF_A_HOLD);
    for (index, moment) in moments.iter().copied().enumerate() {
        let customer = Customer::with_issued_token(&practice, &issuer, "Package")?;
        let free = customer.free_starts("mental-health").await?;
        let mut starts: Vec<String> = Vec::new();
        for start in free.into_iter().skip(index) {
            if starts.iter().all(|other| other.get(..10) != start.get(..10)) && starts.len() < 3 {
                starts.push(start);
            }
        }
        let key = format!("package-{index}-key");
        kill_at(&practice, Moment::BeforeTheRequest, moment)?;
        let keys = match moment {
            Moment::DuringTheRequest => Some(hold_keys(&practice).await?),
            _ => None,
        };
        let asking = customer.try_hold_package("mental-health", &starts, &key);
        let (held, killed) = tokio::join!(asking, kill_in_a_transaction(&practice, keys));
        killed?;
        let booking_id = held?.map_err(|refused| anyhow::anyhow!("{moment:?}: {refused:?}"))?;
        kill_at(&practice, Moment::AfterTheHold, moment)?;
        let again = customer.try_hold_package("mental-health", &starts, &key).await?;
        assert_eq!(again.ok().as_ref(), Some(&booking_id));
        let order = customer.order(&booking_id).await?;
        let body = json!({ "order_id": order, "method": "upi" });
        practice.sandbox_post("/api/pay", &body).await?;
        customer.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
        let mails = confirmations(&customer).await.with_context(|| format!("{moment:?}"))?;
        let ids: BTreeSet<&str> = mails.iter().filter_map(|m| m["messageId"].as_str()).collect();
        assert_eq!(ids.len(), 1, "{moment:?}: {} mails, but one message", mails.len());
    }
    let mut booking = practice.database("booking").await?;
    let booked = "select count(*) from slot_reservations where live and held_until_at is null";
    let booked: i64 = sqlx::query_scalar(booked).fetch_one(&mut booking).await?;
    assert_eq!(usize::try_from(booked)?, 3 * moments.len());
    practice.check().await
}

fn kill_at(practice: &Practice, now: Moment, moment: Moment) -> Result<()> {
    if now == moment { practice.kill(&KILLABLE_PARTS) } else { Ok(()) }
}

/// A lock that the last statement of booking's transaction waits for. It is taken before the
/// request is sent, because a faster request would not wait.
async fn hold_keys(practice: &Practice) -> Result<PgConnection> {
    let mut holder = practice.database("booking").await?;
    sqlx::query("begin").execute(&mut holder).await?;
    sqlx::query("lock table idempotency_keys in exclusive mode").execute(&mut holder).await?;
    Ok(holder)
}

/// Kills everything while booking's transaction waits for the lock, with its rows written and its
/// events not yet.
async fn kill_in_a_transaction(practice: &Practice, held: Option<PgConnection>) -> Result<()> {
    let Some(_held) = held else { return Ok(()) };
    let mut watcher = practice.database("booking").await?;
    until("booking waits in its transaction", async || {
        let waiting: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'
               and query like '%appended as%'",
        )
        .fetch_one(&mut watcher)
        .await?;
        Ok((waiting > 0).then_some(()))
    })
    .await?;
    practice.kill(&KILLABLE_PARTS)
}

/// Kills everything after the provider made the order and before it answers.
async fn kill_while_the_provider_works(
    practice: &Practice,
    orders_before: usize,
    moment: Moment,
) -> Result<()> {
    if moment != Moment::DuringTheOrder {
        return Ok(());
    }
    until("the provider has the order", async || {
        let book = practice.book().await?;
        Ok((list(&book, "orders").len() > orders_before).then_some(()))
    })
    .await?;
    practice.kill(&KILLABLE_PARTS)
}

/// Waits until payments has the payment from the checkout's answer or the webhook.
async fn answer_has_arrived(practice: &Practice, index: usize, moment: Moment) -> Result<()> {
    if moment != Moment::WithTheAnswer {
        return Ok(());
    }
    let mut payments = practice.database("payments").await?;
    until("payments has learnt of the payment", async || {
        let observed: i64 = sqlx::query_scalar(
            "select count(distinct stream_id) from events
             where event_type = 'payments.v1.PaymentObserved'",
        )
        .fetch_one(&mut payments)
        .await?;
        Ok((usize::try_from(observed)? > index).then_some(()))
    })
    .await
}

async fn book(
    practice: &Practice,
    customer: &Customer<'_>,
    moment: Moment,
    index: usize,
) -> Result<String> {
    let start = customer.free_starts("meditation").await?.remove(index);
    let key = format!("kill-{index}-key");
    kill_at(practice, Moment::BeforeTheRequest, moment)?;
    let keys = match moment {
        Moment::DuringTheRequest => Some(hold_keys(practice).await?),
        _ => None,
    };
    let holding = customer.hold("meditation", &start, &key);
    let (held, killed) = tokio::join!(holding, kill_in_a_transaction(practice, keys));
    killed?;
    let booking_id = held?;
    kill_at(practice, Moment::AfterTheHold, moment)?;
    if moment == Moment::DuringTheOrder {
        let slow = json!({
            "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 4000,
        });
        practice.sandbox_post("/api/faults", &slow).await?;
    }
    let ordering = customer.order(&booking_id);
    let killing = kill_while_the_provider_works(practice, index, moment);
    let (ordered, killed) = tokio::join!(ordering, killing);
    killed?;
    let order_id = ordered?;
    kill_at(practice, Moment::AfterTheOrder, moment)?;
    customer.open_checkout(&booking_id).await?;
    kill_at(practice, Moment::AfterCheckoutWasOpened, moment)?;
    let paid = practice.pay(&order_id).await?;
    kill_at(practice, Moment::WithThePayment, moment)?;
    let answering = customer.submit_checkout_answer(&booking_id, &paid);
    let killing = async {
        answer_has_arrived(practice, index, moment).await?;
        kill_at(practice, Moment::WithTheAnswer, moment)
    };
    let (answered, killed) = tokio::join!(answering, killing);
    killed?;
    answered?.ok()?;
    kill_at(practice, Moment::AfterTheAnswer, moment)?;
    customer.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    kill_at(practice, Moment::AfterTheConfirmation, moment)?;
    practice.wait_until_healthy().await?;
    Ok(booking_id)
}

async fn confirmations(customer: &Customer<'_>) -> Result<Vec<Value>> {
    until("the confirmation is in the inbox", async || {
        let mut mails = customer.mails().await?;
        mails.retain(|mail| mail["attachments"].as_array().is_some_and(|all| !all.is_empty()));
        Ok((!mails.is_empty()).then_some(mails))
    })
    .await
}

/// A list in the provider's book.
fn list(book: &Value, name: &str) -> Vec<Value> {
    let part = &book[name];
    let values = || Some(part.as_object()?.values().cloned().collect());
    part.as_array().cloned().or_else(values).unwrap_or_default()
}

/// One order per booking, one capture per order, no refund.
async fn money_closes(practice: &Practice, count: usize) -> Result<()> {
    let book = practice.book().await?;
    assert_eq!(list(&book, "orders").len(), count, "an order too many");
    let captured = list(&book, "payments").iter().filter(|p| p["status"] == "captured").count();
    assert_eq!(captured, count, "a capture is missing or too many");
    assert_eq!(list(&book, "refunds").len(), 0, "money was given back");
    let mut database = practice.database("booking").await?;
    let overlaps: i64 = sqlx::query_scalar(
        "select count(*) from slot_reservations a join slot_reservations b
         on a.booking_id < b.booking_id and a.practitioner_id = b.practitioner_id
         and a.during && b.during",
    )
    .fetch_one(&mut database)
    .await?;
    assert_eq!(overlaps, 0, "two sessions overlap");
    let confirmed: i64 = sqlx::query_scalar(
        "select count(*) from events where event_type = 'booking.v1.BookingConfirmed'",
    )
    .fetch_one(&mut database)
    .await?;
    assert_eq!(usize::try_from(confirmed)?, count, "one confirmation each");
    Ok(())
}

async fn an_unpaid_one_is_released(practice: &Practice) -> Result<()> {
    let customer = Customer::new(practice, "Unsure").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let booking_id = customer.hold("meditation", &start, "unpaid-key").await?;
    practice.kill(&KILLABLE_PARTS)?;
    practice.wait_until_healthy().await?;
    practice.move_clocks(16).await?;
    customer.wait_for_state(&booking_id, "BOOKING_STATE_EXPIRED").await?;
    assert!(customer.free_starts("meditation").await?.contains(&start), "the time is not free");
    Ok(())
}
