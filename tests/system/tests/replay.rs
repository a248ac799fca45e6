//! Consumers are idempotent: all services consume every event a second time, and nothing changes.
//! Restoring a source from an older backup and repeats by the transport rely on this.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;
use sqlx::{AssertSqlSafe, Executor as _};
use system::practice::STORES;
use system::{Customer, Practice};
use testkit::until;

/// The services with consumers.
const CONSUMERS: [&str; 4] = ["booking", "payments", "notifications", "reviews"];
/// Every process that writes to a database of [`STORES`] because of another one's events.
const WRITERS: [&str; 5] = ["booking", "payments", "notifications", "identity", "reviews"];
/// Tables with a service's progress and no facts: positions in feeds, timers and paces, and the
/// tests' clock.
const PROGRESS_TABLES: [&str; 7] = [
    "_sqlx_migrations",
    "call_pace",
    "checkpoint_marks",
    "checkpoints",
    "clock",
    "relay",
    "timers",
];
/// A column that is emptied an hour after the row was used.
const EXPIRING_COLUMN: &str = "recipient_hash";
/// The tables of the log, because repeated entries have new numbers and times, and the keys of
/// mails that were sent after a backup: a restored booking does not know them, so their links are
/// wrong.
const NOT_RESTORED: [&str; 5] = ["audit_log", "events", "feed", "outbox", "page_keys"];

#[tokio::test(flavor = "multi_thread")]
async fn consuming_everything_again_changes_nothing() -> Result<()> {
    consume_again(&Practice::start(&[]).await?).await
}

#[tokio::test(flavor = "multi_thread")]
async fn consuming_everything_again_with_accepted_claims_changes_nothing() -> Result<()> {
    consume_again(&Practice::start(&[("PAYMENT_CLAIM_POLICY", "accept")]).await?).await
}

async fn consume_again(practice: &Practice) -> Result<()> {
    paid_and_confirmed(practice).await?;
    claimed_and_over(practice).await?;
    paid_too_late(practice).await?;
    practice.wait_until_idle().await?;
    let before = (rows(practice, &STORES, &[]).await?, practice.inbox().await?.len());
    for service in CONSUMERS {
        let mut owner = practice.database(service).await?;
        owner.execute("update checkpoints set position = 0, event_id = null").await?;
        owner.execute("delete from checkpoint_marks").await?;
    }
    practice.wait_until_idle().await?;
    let after = (rows(practice, &STORES, &[]).await?, practice.inbox().await?.len());
    expect_same(&before.0, &after.0);
    assert_eq!(before.1, after.1, "a repeat sent mails");
    practice.check().await
}

/// A database is restored from a backup made before the confirmation: the service consumes again
/// what it lost and confirms with new events, which the others recognise.
#[tokio::test(flavor = "multi_thread")]
async fn a_restored_service_catches_up_and_changes_no_other() -> Result<()> {
    let practice = Practice::start(&[]).await?;
    paid_and_confirmed(&practice).await?;
    let customer = Customer::new(&practice, "Forgotten").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let id = customer.hold("meditation", &start, "replay-forgotten").await?;
    let order = customer.order(&id).await?;
    practice.wait_until_idle().await?;
    let copy = practice.data().join("booking-before.dump");
    practice.dump("booking", &copy)?;

    practice.pay(&order).await?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    practice.wait_until_idle().await?;
    let before = (rows(&practice, &STORES, &NOT_RESTORED).await?, practice.inbox().await?.len());

    for service in WRITERS {
        practice.signal(service, "STOP")?;
    }
    let restored = practice.restore("booking", &copy).await;
    for service in WRITERS {
        practice.signal(service, "CONT")?;
    }
    restored?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    practice.wait_until_idle().await?;
    let after = (rows(&practice, &STORES, &NOT_RESTORED).await?, practice.inbox().await?.len());
    expect_same(&before.0, &after.0);
    assert_eq!(before.1, after.1, "mails were sent again");
    practice.check().await
}

/// The rows of all services as lines, without the tables in `excluded`.
async fn rows(practice: &Practice, of: &[&str], excluded: &[&str]) -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for service in of {
        let mut database = practice.database(service).await?;
        let tables: Vec<String> = sqlx::query_scalar(
            "select table_name::text from information_schema.tables
             where table_schema = 'public' and table_type = 'BASE TABLE'",
        )
        .fetch_all(&mut database)
        .await?;
        for table in tables {
            if PROGRESS_TABLES.contains(&table.as_str()) || excluded.contains(&table.as_str()) {
                continue;
            }
            let every = format!("select (to_jsonb(t) - '{EXPIRING_COLUMN}')::text from {table} t");
            let lines: Vec<String> =
                sqlx::query_scalar(AssertSqlSafe(every)).fetch_all(&mut database).await?;
            all.extend(lines.into_iter().map(|line| format!("{service}.{table} {line}")));
        }
    }
    Ok(all)
}

fn expect_same(before: &BTreeSet<String>, after: &BTreeSet<String>) {
    let gone: Vec<_> = before.difference(after).collect();
    let new: Vec<_> = after.difference(before).collect();
    assert!(gone.is_empty() && new.is_empty(), "a repeat changed {gone:#?}\nto {new:#?}");
}

async fn paid_and_confirmed(practice: &Practice) -> Result<()> {
    let customer = Customer::new(practice, "Asha").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let id = customer.hold("meditation", &start, "replay-paid").await?;
    let order = customer.order(&id).await?;
    customer.open_checkout(&id).await?;
    let paid = practice.pay(&order).await?;
    customer.submit_checkout_answer(&id, &paid).await?.ok()?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok(())
}

/// Claims an unpaid booking and lets its hold end. With the policy `accept` it is confirmed
/// instead.
async fn claimed_and_over(practice: &Practice) -> Result<()> {
    let customer = Customer::new(practice, "Unsure").await?;
    let start = customer.free_starts("meditation").await?.remove(0);
    let id = customer.hold("meditation", &start, "replay-claimed").await?;
    customer.order(&id).await?;
    let claim = json!({ "bookingId": id, "idempotencyKey": "replay-claim" });
    customer.call("payments.v1.PaymentsService/ClaimPayment", claim).await?.ok()?;
    practice.move_clocks(40).await?;
    until("the word has done what it does", async || {
        let booking = customer.booking(&id).await?;
        let ends = ["BOOKING_STATE_EXPIRED", "BOOKING_STATE_MEETING_SCHEDULED"];
        Ok(ends.iter().any(|state| booking["state"] == *state).then_some(()))
    })
    .await
}

/// Pays after another client took the slot, and is refunded.
async fn paid_too_late(practice: &Practice) -> Result<()> {
    let late = Customer::new(practice, "Late").await?;
    let start = late.free_starts("meditation").await?.remove(1);
    let id = late.hold("meditation", &start, "replay-late").await?;
    let order = late.order(&id).await?;
    practice.move_clocks(80).await?;
    late.wait_for_state(&id, "BOOKING_STATE_EXPIRED").await?;
    let other = Customer::new(practice, "Quick").await?;
    other.hold("meditation", &start, "replay-quick").await?;
    practice.pay(&order).await?;
    until("the money is back", async || {
        let booking = late.booking(&id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await
}
