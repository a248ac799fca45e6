//! Which worker may save the outcome of a mail, and what a short database outage causes.

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use eventstore::{Metadata, StoreError};
use notifications::mails::mail::Mail;
use notifications::repository;
use serde_json::json;
use testkit::until;

use crate::world::{CUSTOMER, World};

const HOUR: i64 = 3600;

/// One mail to one person, due at once.
async fn hold_ended(world: &World) -> Result<()> {
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id }).await
}

/// An outcome saved by a worker that holds the claim, or held it.
#[derive(Debug, Clone, Copy)]
enum Said {
    Sent,
    Failed,
    Dropped,
    Over,
}

async fn says(world: &World, mail: &Mail, said: Said) -> Result<()> {
    let mail = mail.clone();
    world
        .store
        .write(Metadata::by("test", None), move |tx| {
            let mail = mail.clone();
            Box::pin(async move {
                match said {
                    Said::Sent => repository::sent(tx, &mail).await,
                    Said::Failed => repository::failed(tx, &mail, "smtp_550").await,
                    Said::Dropped => repository::dropped(tx, &mail, "overtaken").await,
                    Said::Over => repository::end_timer(tx, mail.id).await,
                }
            })
        })
        .await
        .map_err(|error: StoreError| error.into())
}

/// How many timers there are that send a mail.
async fn timers(world: &World) -> Result<i64> {
    let sql = "select count(*) from timers where kind = 'send_mail'";
    Ok(sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?)
}

/// Waits until a timer was leased so often since it was set.
async fn until_taken_up(world: &World, times: i32) -> Result<()> {
    until(&format!("the timer was taken up {times} times"), async || {
        let sql = "select max(attempts) from timers where kind = 'send_mail'";
        let attempts: Option<i32> = sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?;
        Ok((attempts >= Some(times)).then_some(()))
    })
    .await
}

/// A mail that was claimed again by another worker after the first claim had expired.
async fn claimed_twice(world: &mut World) -> Result<(Mail, Mail)> {
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    hold_ended(world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.stop().await?;
    world.move_clock(HOUR).await?;
    let first = world.begin(&world.mail("hold_ended").await?).await?.unwrap();
    world.end_claims().await?;
    world.move_clock(2 * HOUR).await?;
    let second = world.begin(&world.mail("hold_ended").await?).await?.unwrap();
    Ok((first, second))
}

#[tokio::test]
async fn after_a_lost_claim_only_an_acceptance_is_saved() -> Result<()> {
    let mut world = World::new().await?;
    let (first, second) = claimed_twice(&mut world).await?;
    for said in [Said::Failed, Said::Dropped] {
        says(&world, &first, said).await?;
        let state = world.column("hold_ended", "state").await?;
        assert_eq!(state.as_deref(), Some("sending"), "{said:?}");
        assert_eq!(timers(&world).await?, 1, "{said:?}");
    }
    assert_eq!(world.published("hold_ended").await?, ["failed"]);
    says(&world, &first, Said::Sent).await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(timers(&world).await?, 0);
    // The outcome of the other worker changes nothing.
    for said in [Said::Failed, Said::Dropped, Said::Sent] {
        says(&world, &second, said).await?;
        assert_eq!(world.published("hold_ended").await?, ["failed", "sent"], "{said:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_acceptance_is_saved_for_a_failed_mail_too() -> Result<()> {
    let mut world = World::new().await?;
    let (first, second) = claimed_twice(&mut world).await?;
    says(&world, &second, Said::Failed).await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "failed for good"]);
    says(&world, &first, Said::Sent).await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.published("hold_ended").await?, ["failed", "failed for good", "sent"]);
    Ok(())
}

#[tokio::test]
async fn a_timer_ends_only_with_a_finished_mail() -> Result<()> {
    let mut world = World::new().await?;
    let (_, second) = claimed_twice(&mut world).await?;
    says(&world, &second, Said::Failed).await?;
    // A worker has read that it is over, and staff retries it.
    let id = second.id;
    let queued = world.store.write(Metadata::by("test", None), move |tx| {
        Box::pin(async move { repository::retry_now(tx, id).await })
    });
    assert!(queued.await?.is_ok());
    says(&world, &second, Said::Over).await?;
    assert_eq!(timers(&world).await?, 1);
    let queued = world.mail("hold_ended").await?;
    says(&world, &queued, Said::Dropped).await?;
    let set = world.store.write(Metadata::by("test", None), move |tx| {
        Box::pin(async move {
            let now = tx.now().await?;
            repository::schedule_urgent(tx, id, now).await
        })
    });
    set.await?;
    says(&world, &queued, Said::Over).await?;
    assert_eq!(timers(&world).await?, 0);
    Ok(())
}

#[tokio::test]
async fn an_accepted_mail_is_not_repeated_after_a_database_outage() -> Result<()> {
    let world = World::new().await?;
    world
        .as_owner(
            "create function refuse() returns trigger language plpgsql as
             $$ begin raise exception 'away'; end $$",
        )
        .await?;
    world
        .as_owner(
            "create trigger away before update on mails for each row when (new.state = 'sent')
             execute function refuse()",
        )
        .await?;
    hold_ended(&world).await?;
    until(
        "it has arrived",
        async || Ok((world.inbox_of(CUSTOMER).await?.len() == 1).then_some(())),
    )
    .await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sending"));
    // Its claim expires, and the same process gets its timer and finds it in flight.
    for times in 1..=3 {
        world.move_clock_at_once(i64::from(times) * 60).await?;
        world.end_claims().await?;
        until_taken_up(&world, times).await?;
    }
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.as_owner("drop trigger away on mails").await?;
    world.until_state("hold_ended", "sent").await?;
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.column("hold_ended", "attempts::text").await?.as_deref(), Some("1"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_claim_that_ends_while_its_process_talks_causes_no_repeat() -> Result<()> {
    let world = World::new().await?;
    // Long enough for the claim to expire, and to be renewed.
    world.order_fault(json!({ "target": "smtp", "kind": "delay", "delay_ms": 7_000 })).await?;
    hold_ended(&world).await?;
    world.until_state("hold_ended", "sending").await?;
    world.move_clock_at_once(60).await?;
    world.end_claims().await?;
    until_taken_up(&world, 1).await?;
    until("the claim lasts on", async || {
        let sql = "select count(*) from mails where claimed_until_at > clock_timestamp()";
        let kept: i64 = sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?;
        Ok((kept == 1).then_some(()))
    })
    .await?;
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.column("hold_ended", "attempts::text").await?.as_deref(), Some("1"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

/// Waits until a worker waits for a locked row.
async fn until_held_up(world: &World) -> Result<()> {
    until("a worker waits for the mail", async || {
        let sql = "select count(*) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
        let waiting: i64 = sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?;
        Ok((waiting > 0).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_mail_that_was_changed_while_a_worker_took_it_up_does_not_wait_for_a_lease() -> Result<()>
{
    let world = World::new().await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 1 })).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    // One worker is about to claim it,
    let mut changing = world.store.pool().begin().await?;
    sqlx::query("select from mails for update").execute(&mut *changing).await?;
    world.move_clock_at_once(HOUR).await?;
    until_held_up(&world).await?;
    // the change sets its timer, which another worker leases and skips,
    world.as_owner("update timers set lease_until_at = '-infinity', attempts = 0").await?;
    until_taken_up(&world, 1).await?;
    let lease: kernel::Timestamp =
        sqlx::query_scalar("select lease_until_at from timers where kind = 'send_mail'")
            .fetch_one(world.store.pool())
            .await?;
    sqlx::query("update mails set due_at = due_at + interval '1 second'")
        .execute(&mut *changing)
        .await?;
    changing.commit().await?;
    // and the first one sees that it was changed.
    world.until_state("hold_ended", "sent").await?;
    let in_time: bool = sqlx::query_scalar("select clock_timestamp() < $1")
        .bind(lease)
        .fetch_one(world.store.pool())
        .await?;
    assert!(in_time, "the mail waited for the end of a lease");
    world.end().await
}
