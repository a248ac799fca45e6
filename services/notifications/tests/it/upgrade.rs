//! An upgrade from before reminders, follow-ups and receipts: the new release reads all events
//! again. Clients to whom such a mail is due get it, and no mail is sent twice.

use std::collections::BTreeSet;

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingExpired, BookingState, CancelledBy, Session,
    SessionMode,
};
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::{ReceiptIssued, RefundAccepted, RefundProcessed, RefundRequested};
use kernel::id::{Receipt, Refund};
use serde_json::Value;
use uuid::Uuid;

use crate::fake_services::receipt;
use crate::visitor::{count, header};
use crate::world::{World, new_id};

const MIGRATION: &str =
    include_str!("../../../../migrations/notifications/20261121620001_move_checkpoints.sql");
/// Half a day before the sessions that are ahead, and after their reminders' time.
const UPGRADED: &str = "2026-11-23T17:30:00Z";
const TWO_DAYS_BEFORE: &str = "2026-11-21T17:30:00Z";
const A_MONTH_BEFORE: &str = "2026-10-23T17:30:00Z";

fn inr(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency_code: "INR".to_owned() })
}

/// Everything that the older release sent mails about.
async fn told_before(world: &World) -> Result<()> {
    // Its link comes when the confirmation has left without it.
    let late = world.booking(SessionMode::Online);
    world.confirmed(late).await?;
    world.until_idle().await?;
    world.owe_links().await?;
    world.meeting_scheduled(late).await?;
    let online = world.booking(SessionMode::Online);
    world.confirmed(online).await?;
    world.meeting_scheduled(online).await?;
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_idle().await?;

    let expired = world.booking(SessionMode::Online).to_string();
    world.data.change(&expired, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: expired }).await?;

    let gone = world.booking(SessionMode::InPerson);
    world.confirmed(gone).await?;
    world.until_idle().await?;
    let booking_id = gone.to_string();
    world.data.change(&booking_id, |booking| booking.set_state(BookingState::Cancelled));
    let cancelled = BookingCancelled {
        booking_id: booking_id.clone(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: inr(75_000),
        unpaid: false,
        by_grace: false,
    };
    world.append_event(cancelled).await?;
    let requested = RefundRequested {
        booking_id: booking_id.clone(),
        refund_id: new_id::<Refund>(),
        payment_id: "pay_1".to_owned(),
        amount: inr(75_000),
        cause: "cancelled".to_owned(),
        ..Default::default()
    };
    let refund_id = requested.refund_id.clone();
    let accepted = RefundAccepted {
        booking_id: booking_id.clone(),
        refund_id: refund_id.clone(),
        ..RefundAccepted::default()
    };
    world.append_event(requested).await?;
    world.append_event(accepted).await?;
    world.until_idle().await?;
    world.append_event(RefundProcessed { booking_id, refund_id }).await?;
    world.until_idle().await
}

/// A session that took place, of which the release before took in the end and a receipt without a
/// mail.
async fn held(world: &World, began_at: &str) -> Result<()> {
    let booking = world.booking(SessionMode::InPerson);
    let booking_id = booking.to_string();
    let starts_at: kernel::Timestamp = began_at.parse()?;
    world.data.change(&booking_id, |booking| {
        booking.set_state(BookingState::Completed);
        booking.sessions = vec![Session {
            starts_at: Some(to_wire(starts_at)),
            ends_at: Some(to_wire(starts_at.plus_minutes(45))),
            ..Session::default()
        }];
    });
    let receipt_id = new_id::<Receipt>();
    let known = receipt(&receipt_id, &booking_id);
    let issued = ReceiptIssued {
        receipt_id: receipt_id.clone(),
        booking_id: booking_id.clone(),
        payment_id: known.payment_id.clone(),
        serial: known.serial.clone(),
        amount: known.amount.clone(),
        ..ReceiptIssued::default()
    };
    world.data.receipts.lock().unwrap().insert(receipt_id, known);
    world.append_event(issued).await?;
    world.append_event(BookingCompleted { booking_id }).await
}

/// The state left by the older release: no mail of the kinds that it did not know, and checkpoints
/// after the last event.
async fn put_back(world: &World) -> Result<()> {
    world
        .as_owner(
            "delete from mails
             where kind in ('reminder', 'second_reminder', 'follow_up', 'receipt');
             delete from timers t
             where t.kind = 'send_mail' and not exists (
                 select from mails m
                 where t.subject = 'mal_' || replace(m.mail_id::text, '-', ''))",
        )
        .await?;
    testkit::until("every event has its position", async || {
        let left: i64 =
            sqlx::query_scalar("select count(*) from outbox").fetch_one(world.log.pool()).await?;
        Ok((left == 0).then_some(()))
    })
    .await?;
    let (position, event_id): (i64, Uuid) = sqlx::query_as(
        "select position, event_id from feed join events using (seq)
         order by position desc limit 1",
    )
    .fetch_one(world.log.pool())
    .await?;
    let ahead = format!(
        "select set_config('notifications.knows', 'later mails', true);
         update checkpoints set position = {position}, event_id = '{event_id}'"
    );
    world.as_owner(&ahead).await
}

/// What the migration does to what is there.
async fn upgrade(world: &World) -> Result<()> {
    let first = MIGRATION.split("-- While a deploy rolls").next().unwrap_or_default();
    world.as_owner(first).await
}

async fn mails(world: &World, kind: &str, state: &str) -> Result<i64> {
    count(world, &format!("mails where kind = '{kind}' and {state}")).await
}

fn message_ids(inbox: &[Value]) -> BTreeSet<String> {
    inbox.iter().map(|mail| header(mail, "Message-ID").unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_upgrade_adds_reminders_and_repeats_no_mail() -> Result<()> {
    let mut world = World::new().await?;
    told_before(&world).await?;
    let before = world.inbox().await?;
    assert_eq!(mails(&world, "meeting_link", "state = 'sent'").await?, 1);
    assert_eq!(mails(&world, "refund_done", "state = 'sent'").await?, 1);
    world.stop().await?;
    held(&world, TWO_DAYS_BEFORE).await?;
    held(&world, A_MONTH_BEFORE).await?;
    put_back(&world).await?;
    world.set_clock(UPGRADED).await?;
    // Without the migration they are never read again.
    world.start();
    world.until_idle().await?;
    world.stop().await?;
    assert_eq!(mails(&world, "reminder", "true").await?, 0);
    assert_eq!(world.inbox().await?, before);

    upgrade(&world).await?;
    world.start();
    world.until_idle().await?;
    assert_eq!(mails(&world, "reminder", "state = 'sent'").await?, 3, "those ahead");
    assert_eq!(mails(&world, "reminder", "last_error = 'overtaken'").await?, 1, "cancelled");
    for kind in ["follow_up", "receipt"] {
        assert_eq!(mails(&world, kind, "state = 'sent'").await?, 1, "{kind} of two days ago");
        assert_eq!(mails(&world, kind, "last_error = 'too_late'").await?, 1, "{kind} of long ago");
    }
    let after = world.inbox().await?;
    assert_eq!(after.len(), before.len() + 5);
    assert_eq!(message_ids(&after).len(), after.len(), "a mail came twice");

    // Reading all of it once more changes nothing.
    world.stop().await?;
    upgrade(&world).await?;
    world.start();
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), after.len());
    world.end().await
}

#[tokio::test]
async fn parked_events_are_consumed_again() -> Result<()> {
    let mut world = World::new().await?;
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_idle().await?;
    world.stop().await?;
    for consumer in ["notifications-on-booking", "notifications-on-payments"] {
        let parked = format!(
            "insert into parked_events (consumer, source, position, event_id, stream_id, version,
                                        event_type, payload, metadata, recorded_at, error)
             values ('{consumer}', '{}', 1, gen_random_uuid(), 'neighbours', 1,
                     'booking.v1.BookingConfirmed', '{{}}', '{{}}', clock_now(), 'broken')",
            consumer.trim_start_matches("notifications-on-"),
        );
        world.as_owner(&parked).await?;
    }
    upgrade(&world).await?;
    assert_eq!(count(&world, "parked_events").await?, 0);
    world.start();
    world.until_idle().await?;
    world.end().await
}

#[tokio::test]
async fn a_process_without_these_mails_waits_and_takes_no_event_in() -> Result<()> {
    let world = World::new().await?;
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_idle().await?;
    for source in ["booking", "payments"] {
        // It moves the checkpoint as its release does, and has not said what this one says.
        let moves = format!(
            "update checkpoints set position = position + 1, event_id = gen_random_uuid()
             where consumer = 'notifications-on-{source}'"
        );
        let refused = world.as_owner(&moves).await.unwrap_err();
        let code = refused.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
        let code = code.and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
        assert_eq!(code, "55000", "not about the data, so it waits and parks nothing: {refused:#}");
    }
    // Other checkpoints may be advanced by both releases.
    let others = "update checkpoints set position = position
                  where consumer in ('notifications-on-reviews', 'notifications-on-identity')";
    world.as_owner(others).await?;
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_idle().await?;
    assert_eq!(mails(&world, "booking_confirmed", "state = 'sent'").await?, 2);
    world.end().await
}
