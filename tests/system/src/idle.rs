//! Waits until a practice is idle: every event is consumed, no timer is due, the sandbox has
//! nothing pending.

use std::time::Duration;

use anyhow::{Context as _, Result};
use checker::snapshot::{Ack, PaymentsStore};
use contract::events::{is_read, is_read_by};
use sqlx::{PgPool, Row as _};
use testkit::until_within;

use crate::practice::{Practice, STORES};

/// How long a practice may take to become idle after the last fault: the timer of a dead process is
/// leased for 25 seconds, and a webhook is sent again after 64.
const TIMEOUT: Duration = Duration::from_secs(180);
/// By how much the clocks are moved until everything has ended; the steps grow.
const CLOCK_MOVES_MINUTES: [i64; 12] =
    [16, 16, 61, 61, 6 * 60, 6 * 60, 24 * 60, 24 * 60, 24 * 60, 24 * 60, 24 * 60, 24 * 60];
/// Longer than the booking horizon, so that every session is over.
const ALL_SESSIONS_MINUTES: i64 = 45 * 24 * 60;

impl Practice {
    /// Waits until nothing is pending.
    ///
    /// When something stays pending for minutes; the error says what.
    pub async fn wait_until_idle(&self) -> Result<()> {
        self.wait_until_healthy().await?;
        let mut last = String::new();
        let quiet = until_within(TIMEOUT, "nothing is under way", async || {
            // Two looks: work that the first look missed between two services is seen by the
            // second.
            for _poll in 0..2 {
                last = match self.pending_work().await {
                    Ok(found) => found,
                    Err(error) => format!("{error:#}"),
                };
                if !last.is_empty() {
                    return Ok(None);
                }
            }
            Ok(Some(()))
        })
        .await;
        quiet.with_context(|| format!("under way: {last}"))
    }

    /// Moves the clocks until every hold, poll and refund has ended and every session has taken
    /// place.
    ///
    /// When something stays unfinished.
    pub async fn run_to_completion(&self) -> Result<()> {
        self.run_to_completion_without(&[]).await
    }

    /// The same, where work with these ids may stay unfinished.
    ///
    /// When something else stays unfinished.
    pub async fn run_to_completion_without(&self, known: &[String]) -> Result<()> {
        self.speed_up_sold_order_polls().await?;
        for minutes in CLOCK_MOVES_MINUTES {
            self.wait_until_idle().await?;
            self.advance_clocks(minutes).await?;
        }
        self.wait_until_idle().await?;
        self.advance_clocks(ALL_SESSIONS_MINUTES).await?;
        self.wait_until_idle().await?;
        // Timers start some work, such as the day sheet, so it may have started just now.
        let mut open = String::new();
        let closed = until_within(TIMEOUT, "nothing is open", async || {
            let mut left = self.unfinished_work().await?;
            left.retain(|what| !known.iter().any(|id| what.contains(id.as_str())));
            open = left.join("; ");
            Ok(open.is_empty().then_some(()))
        });
        let closed = closed.await;
        closed.with_context(|| format!("still open after all time has passed: {open}"))?;
        self.wait_until_all_is_taken_in().await
    }

    /// Waits until every consumer has taken in every event, those too from which nothing follows
    /// and that wait a second for the next.
    pub(crate) async fn wait_until_all_is_taken_in(&self) -> Result<()> {
        let mut ahead = Vec::new();
        let taken_in = until_within(TIMEOUT, "every event is taken in", async || {
            ahead = self.events_ahead().await?;
            Ok(ahead.is_empty().then_some(()))
        })
        .await;
        taken_in.with_context(|| format!("not taken in: {ahead:?}"))
    }

    /// Sold orders are polled at one a second. The sandbox needs no such limit, and each move of
    /// the clocks makes all of them due.
    async fn speed_up_sold_order_polls(&self) -> Result<()> {
        let mut payments = self.database("payments").await?;
        sqlx::query(
            "insert into call_pace (name, next_at, pause_millis)
             values ('sold-orders', clock_now(), 1)
             on conflict (name) do update set next_at = clock_now(), pause_millis = 1",
        )
        .execute(&mut payments)
        .await?;
        Ok(())
    }

    /// Everything acknowledged, with the webhooks that the sandbox got a success answer for.
    pub(crate) async fn acks(&self, payments: &PaymentsStore) -> Result<Vec<Ack>> {
        let mut acks = self.recorder.acks();
        let book = self.book().await?;
        let hooks = book["webhooks"].as_array().cloned().unwrap_or_default();
        for hook in hooks.iter().filter(|hook| hook["state"] == "delivered") {
            let event_id = hook["event_id"].as_str().unwrap_or_default().to_owned();
            // The sandbox deletes a delivered body, so only the id is compared.
            let kept = payments.webhooks.iter().find(|row| row.event_id == event_id);
            let body_sha256 = kept.map(|row| row.body_sha256.clone()).unwrap_or_default();
            acks.push(Ack::Webhook { event_id, body_sha256 });
        }
        Ok(acks)
    }

    /// Describes the pending work; empty when there is none.
    async fn pending_work(&self) -> Result<String> {
        let mut found = Vec::new();
        for service in STORES {
            let waits = pending_in(&self.pool(service)?).await?;
            if !waits.is_empty() {
                found.push(format!("{service}: {waits}"));
            }
        }
        for (consumer, event) in self.events_ahead().await? {
            let service = consumer.split("-on-").next().unwrap_or_default();
            if is_read_by(service, &event) {
                found.push(format!("{consumer} is before {event}"));
            }
        }
        let book = self.book().await?;
        for (part, state, open) in
            [("webhooks", "state", "waiting"), ("refunds", "status", "pending")]
        {
            let all = book[part].as_array().cloned().unwrap_or_default();
            let count = all.iter().filter(|it| it[state] == open).count();
            if count > 0 {
                found.push(format!("{count} {part} of the sandbox are {open}"));
            }
        }
        Ok(found.join("; "))
    }

    /// Each consumer with the type of an event that it has not taken in.
    async fn events_ahead(&self) -> Result<Vec<(String, String)>> {
        let mut ahead = Vec::new();
        for service in STORES {
            let own = "select consumer, source, position from checkpoints";
            for row in sqlx::query(own).fetch_all(&self.pool(service)?).await? {
                let (consumer, source): (String, String) = (row.try_get(0)?, row.try_get(1)?);
                if STORES.contains(&source.as_str()) {
                    let events = after(&self.pool(&source)?, row.try_get(2)?).await?;
                    ahead.extend(events.into_iter().map(|event| (consumer.clone(), event)));
                }
            }
        }
        Ok(ahead)
    }

    /// What has not ended; none when everything has.
    async fn unfinished_work(&self) -> Result<Vec<String>> {
        let questions = [
            (
                "booking",
                "select booking_id::text || ' ' || state from bookings
                         where state in ('held', 'awaiting_payment', 'confirmed',
                                         'meeting_scheduled')",
            ),
            (
                "payments",
                "select kind || ' ' || subject from timers
                          where kind in ('poll-order', 'ask-sold-order', 'refund', 'renew-refund',
                                         'fold-webhook')",
            ),
            (
                "payments",
                "select refund_id::text || ' ' || state from refunds
                          where state in ('requested', 'accepted')",
            ),
            (
                "notifications",
                "select kind || ' ' || subject || ' ' || state from mails
                               where state in ('queued', 'sending', 'retrying')",
            ),
        ];
        let mut open = Vec::new();
        for (service, sql) in questions {
            let database = self.pool(service)?;
            let found: Vec<String> = sqlx::query_scalar(sql).fetch_all(&database).await?;
            open.extend(found);
        }
        Ok(open)
    }
}

/// The types of the events after a position of a feed, and of those without a position.
async fn after(database: &PgPool, position: i64) -> Result<Vec<String>> {
    let sql = "select event_type from feed join events using (seq) where position > $1
               union all select event_type from outbox join events using (seq)";
    Ok(sqlx::query_scalar(sql).bind(position).fetch_all(database).await?)
}

/// Events without a position and timers that are due. Polls of unpaid orders are left out: they
/// recur and find nothing. So are events from which nothing follows.
async fn pending_in(database: &PgPool) -> Result<String> {
    let outbox = "select event_type from outbox join events using (seq)";
    let mut events: Vec<String> = sqlx::query_scalar(outbox).fetch_all(database).await?;
    events.retain(|event| is_read(event));
    let timers: Vec<String> = sqlx::query_scalar(
        "select kind || ' ' || subject || ' try ' || attempts from timers
         where due_at <= clock_now() + interval '1 second' and kind <> 'poll-order'
         limit 20",
    )
    .fetch_all(database)
    .await?;
    events.extend(timers);
    Ok(events.join(", "))
}
