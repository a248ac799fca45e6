//! Every reaction bears to be run again: all services take in everything that ever happened once
//! more, and nothing happens. A source that was restored from an older copy rests on this, and so
//! does every repeat that the transport may bring.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::json;
use sqlx::{Executor as _, PgConnection};
use system::{Customer, Practice};
use testkit::until;

const SERVICES: [&str; 4] = ["booking", "payments", "notifications", "identity"];
/// Those that take in events of others.
const CONSUMING: [&str; 3] = ["booking", "payments", "notifications"];

#[tokio::test(flavor = "multi_thread")]
async fn taking_in_everything_again_changes_nothing() -> Result<()> {
    let practice = Practice::start(&[]).await?;
    paid_and_confirmed(&practice).await?;
    claimed_and_ended(&practice).await?;
    paid_too_late(&practice).await?;
    quiet(&practice).await?;
    let before = (logs(&practice).await?, practice.inbox().await?.len());
    for service in CONSUMING {
        let mut owner = practice.database(service).await?;
        owner.execute("update checkpoints set position = 0, event_id = null").await?;
    }
    quiet(&practice).await?;
    let after = (logs(&practice).await?, practice.inbox().await?.len());
    assert_eq!(before, after, "a repeat had an effect: events by type, and mails");
    practice.check().await
}

async fn paid_and_confirmed(practice: &Practice) -> Result<()> {
    let customer = Customer::new(practice, "Asha").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let id = customer.hold("meditation", &start, "replay-paid").await?;
    let order = customer.order(&id).await?;
    customer.open_checkout(&id).await?;
    let paid = practice.pay(&order).await?;
    customer.hand_in(&id, &paid).await?.ok()?;
    customer.reaches(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok(())
}

/// Says that it is paid, which it is not, and lets its hold end.
async fn claimed_and_ended(practice: &Practice) -> Result<()> {
    let customer = Customer::new(practice, "Unsure").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let id = customer.hold("meditation", &start, "replay-claimed").await?;
    customer.order(&id).await?;
    let claim = json!({ "bookingId": id, "idempotencyKey": "replay-claim" });
    customer.call("payments.v1.PaymentsService/ClaimPayment", claim).await?.ok()?;
    practice.move_clocks(40).await?;
    customer.reaches(&id, "BOOKING_STATE_EXPIRED").await?;
    Ok(())
}

/// Pays when somebody else has the time, and gets the money back.
async fn paid_too_late(practice: &Practice) -> Result<()> {
    let late = Customer::new(practice, "Late").await?;
    let start = late.free_starts("meditation").await?.remove(1);
    let id = late.hold("meditation", &start, "replay-late").await?;
    let order = late.order(&id).await?;
    practice.move_clocks(80).await?;
    late.reaches(&id, "BOOKING_STATE_EXPIRED").await?;
    let other = Customer::new(practice, "Quick").await?;
    other.hold("meditation", &start, "replay-quick").await?;
    practice.pay(&order).await?;
    until("the money is back", async || {
        let booking = late.booking(&id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await
}

/// Waits until every mail is out and every consumer has taken in all that its source has.
async fn quiet(practice: &Practice) -> Result<()> {
    let mut databases = BTreeMap::new();
    for service in SERVICES {
        databases.insert(service, practice.database(service).await?);
    }
    until("everything has been taken in", async || {
        let mut ends = BTreeMap::new();
        for (service, database) in &mut databases {
            ends.insert((*service).to_owned(), end_of_feed(database).await?);
        }
        for service in CONSUMING {
            let database = databases.get_mut(service).context("no such service")?;
            let places: Vec<(String, i64)> =
                sqlx::query_as("select source, position from checkpoints")
                    .fetch_all(&mut *database)
                    .await?;
            if places
                .iter()
                .any(|(source, place)| ends.get(source).copied().flatten() != Some(*place))
            {
                return Ok(None);
            }
        }
        let mails = databases.get_mut("notifications").context("no notifications")?;
        // By the time of day a session may be over by now, and its follow-up waits for its hour.
        let unsent: i64 = sqlx::query_scalar(
            "select count(*) from mails where state in ('sending', 'retrying')
                                           or (state = 'queued' and due_at <= clock_now())",
        )
        .fetch_one(mails)
        .await?;
        Ok((unsent == 0).then_some(()))
    })
    .await
}

/// The last position of a feed that has no event waiting for one.
async fn end_of_feed(database: &mut PgConnection) -> Result<Option<i64>> {
    let end = sqlx::query_scalar(
        "select coalesce(max(position), 0) from feed having not exists (select from outbox)",
    );
    Ok(end.fetch_optional(database).await?)
}

/// How many events of each type every service has.
async fn logs(practice: &Practice) -> Result<BTreeMap<String, i64>> {
    let mut all = BTreeMap::new();
    for service in SERVICES {
        let mut database = practice.database(service).await?;
        let counted: Vec<(String, i64)> =
            sqlx::query_as("select event_type, count(*) from events group by event_type")
                .fetch_all(&mut database)
                .await?;
        all.extend(counted);
    }
    Ok(all)
}
