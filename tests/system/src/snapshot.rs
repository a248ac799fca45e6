//! Reads the state of a practice for the checker that also reads the simulator's model: each
//! service's database in one transaction, the provider's book, the inbox.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use checker::rows;
use checker::snapshot::{
    BookingStore, CheckpointRow, Log, NotificationsStore, ParkedRow, PaymentsStore, ProviderBook,
    ProviderDispute, ProviderLink, ProviderOrder, ProviderPayment, ProviderRefund, Snapshot,
    TimerRow,
};
use checker::{HumanTask, Violation, check, human_tasks};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, Row};

use crate::practice::Practice;

/// Rows of one query, each read by `read`.
async fn fetch<T>(
    database: &mut PgConnection,
    sql: &str,
    read: fn(&PgRow) -> Result<T, sqlx::Error>,
) -> Result<Vec<T>> {
    let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(database).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

impl Practice {
    /// Waits until nothing is pending, and runs the checker.
    ///
    /// When an invariant is broken; the error lists every violation.
    pub async fn check(&self) -> Result<()> {
        self.check_without(&[]).await
    }

    /// The same, without what is said of these ids: a fault of an earlier release happened to them,
    /// and what has happened stays.
    ///
    /// When an invariant is broken; the error lists every violation.
    pub async fn check_without(&self, known: &[String]) -> Result<()> {
        self.wait_until_idle().await?;
        // The clocks were moved, so that what waits for a second would be late by days.
        self.wait_until_all_is_taken_in().await?;
        let snapshot = self.snapshot().await?;
        // If a table or column were renamed, everything would be read as empty and pass.
        ensure!(!snapshot.booking.log.events.is_empty(), "nothing was read of booking");
        ensure!(!snapshot.acks.is_empty(), "nothing that was acknowledged was written down");
        let violations = check(&snapshot);
        let mut found: Vec<String> = violations.iter().map(Violation::to_string).collect();
        // No test leaves an event that cannot be handled.
        found.extend(human_tasks(&snapshot).into_iter().filter_map(|task| match task {
            HumanTask::EventParked(what) => Some(format!("parked: {what}")),
            HumanTask::RefundFailed(_) | HumanTask::OwedAtDesk(_) | HumanTask::MailFailed(_) => {
                None
            }
        }));
        found.retain(|what| !known.iter().any(|id| what.contains(id.as_str())));
        ensure!(found.is_empty(), "the checker found:\n  {}", found.join("\n  "));
        Ok(())
    }

    /// The current state, as far as it can be read from outside.
    ///
    /// When a database does not answer.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let mut booking = self.begin_snapshot("booking").await?;
        let mut payments = self.begin_snapshot("payments").await?;
        let mut notifications = self.begin_snapshot("notifications").await?;
        let mut identity = self.begin_snapshot("identity").await?;
        let mut reviews = self.begin_snapshot("reviews").await?;
        let payments = payments_store(&mut payments).await?;
        self.inbox().await?;
        Ok(Snapshot {
            taken_at: sqlx::query_scalar("select clock_now()").fetch_one(&mut booking).await?,
            booking: booking_store(&mut booking).await?,
            notifications: notifications_store(&mut notifications).await?,
            identity: Some(log(&mut identity).await?),
            reviews: Some(log(&mut reviews).await?),
            provider: provider(&self.book().await?),
            inbox: self.recorder.delivered_mails(),
            acks: self.acks(&payments).await?,
            mail_repeats_injected: self.recorder.repeats(),
            reminder_hours: Some(REMINDER_HOURS),
            is_of_this_version: false,
            payments,
        })
    }

    /// A connection with a repeatable-read transaction.
    async fn begin_snapshot(&self, service: &str) -> Result<PgConnection> {
        let mut database = self.database(service).await?;
        database.execute("begin isolation level repeatable read read only").await?;
        Ok(database)
    }
}

async fn log(database: &mut PgConnection) -> Result<Log> {
    Ok(Log {
        events: fetch(
            database,
            "select e.seq, f.position, e.event_id, e.stream_id, e.version, e.event_type,
                    e.payload, e.metadata, e.recorded_at
             from events e left join feed f using (seq) order by e.seq",
            rows::event,
        )
        .await?,
        outbox: fetch(database, "select seq from outbox", |row| row.try_get(0)).await?,
        checkpoints: fetch(database, "select consumer, source, position from checkpoints", |row| {
            Ok(CheckpointRow {
                consumer: row.try_get(0)?,
                source: row.try_get(1)?,
                position: row.try_get(2)?,
            })
        })
        .await?,
        parked: fetch(
            database,
            "select consumer, source, position, stream_id, error from parked_events",
            |row| {
                Ok(ParkedRow {
                    consumer: row.try_get(0)?,
                    source: row.try_get(1)?,
                    position: row.try_get(2)?,
                    stream_id: row.try_get(3)?,
                    error: row.try_get(4)?,
                })
            },
        )
        .await?,
        timers: fetch(database, "select kind, subject, due_at from timers", |row| {
            Ok(TimerRow {
                kind: row.try_get(0)?,
                subject: row.try_get(1)?,
                due_at: row.try_get(2)?,
            })
        })
        .await?,
    })
}

async fn booking_store(database: &mut PgConnection) -> Result<BookingStore> {
    Ok(BookingStore {
        log: log(database).await?,
        bookings: fetch(database, "select * from bookings", rows::booking).await?,
        reservations: fetch(database, "select * from slot_reservations", rows::reservation).await?,
    })
}

async fn payments_store(database: &mut PgConnection) -> Result<PaymentsStore> {
    let ledger = "select entry_id::text as entry, payment_id, account, amount_minor,
                         amount_currency
                  from ledger_lines join ledger_entries using (entry_id)";
    let links = "select l.*, array(
                     select order_id from payment_link_orders o where o.link_id = l.link_id
                 ) as order_ids
                 from payment_links l";
    Ok(PaymentsStore {
        log: log(database).await?,
        collections: fetch(database, "select * from collections", rows::collection).await?,
        links: fetch(database, links, rows::link).await?,
        refunds: fetch(database, "select * from refunds", rows::refund).await?,
        webhooks: fetch(database, "select * from webhook_inbox", rows::webhook).await?,
        ledger: match sqlx::query_scalar("select to_regclass('ledger_lines') is not null")
            .fetch_one(&mut *database)
            .await?
        {
            true => Some(fetch(database, ledger, rows::ledger_line).await?),
            false => None,
        },
        receipts: Some(fetch(database, "select * from receipts", rows::receipt).await?),
        refund_requests: fetch(database, "select * from refund_requests", rows::refund_request)
            .await?,
    })
}

async fn notifications_store(database: &mut PgConnection) -> Result<NotificationsStore> {
    Ok(NotificationsStore {
        log: log(database).await?,
        mails: fetch(database, "select * from mails", rows::mail).await?,
    })
}

/// The entries of a list in the provider's book.
fn part<'b>(book: &'b Value, name: &str) -> impl Iterator<Item = &'b Value> {
    book[name].as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// How many hours before a session its client is reminded, by the shipped practice's file.
const REMINDER_HOURS: i32 = 24;

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn seconds(value: &Value) -> Option<kernel::Timestamp> {
    kernel::Timestamp::from_seconds(number(value))
}

fn provider(book: &Value) -> ProviderBook {
    let orders = part(book, "orders").map(|order| ProviderOrder {
        order_id: text(&order["id"]),
        receipt: text(&order["receipt"]),
        amount_minor: number(&order["amount"]),
        currency: text(&order["currency"]),
    });
    let links = part(book, "payment_links").map(|link| ProviderLink {
        provider_link_id: text(&link["id"]),
        reference: text(&link["reference_id"]),
        status: text(&link["status"]),
        created_at: seconds(&link["created_at"]).unwrap_or(kernel::Timestamp::EPOCH),
        ended_at: match link["status"].as_str() {
            Some("paid") => seconds(&link["updated_at"]),
            Some("cancelled") => seconds(&link["cancelled_at"]),
            Some("expired") => seconds(&link["expired_at"]),
            _ => None,
        },
    });
    let payments = part(book, "payments").map(|payment| ProviderPayment {
        payment_id: text(&payment["id"]),
        order_id: payment["order_id"].as_str().map(str::to_owned),
        amount_minor: number(&payment["amount"]),
        currency: text(&payment["currency"]),
        status: text(&payment["status"]),
        captured_at: seconds(&payment["created_at"]).filter(|_| payment["captured"] == true),
        pays_order: payment["pays_order"] == true,
    });
    let refunds = part(book, "refunds").map(|refund| ProviderRefund {
        provider_refund_id: text(&refund["id"]),
        payment_id: text(&refund["payment_id"]),
        amount_minor: number(&refund["amount"]),
        status: text(&refund["status"]),
        receipt: refund["receipt"].as_str().map(str::to_owned),
    });
    let adjustments = part(book, "adjustments").filter(|it| it["dispute_id"].is_null());
    let adjustments = adjustments.map(|adjustment| number(&adjustment["amount"]));
    let mut lost_in_disputes = BTreeMap::<String, i64>::new();
    for dispute in part(book, "disputes").filter(|dispute| dispute["status"] == "lost") {
        *lost_in_disputes.entry(text(&dispute["payment_id"])).or_default() +=
            number(&dispute["amount_deducted"]);
    }
    let disputes = part(book, "disputes").map(|dispute| ProviderDispute {
        dispute_id: text(&dispute["id"]),
        payment_id: text(&dispute["payment_id"]),
        state: text(&dispute["status"]),
    });
    ProviderBook {
        orders: orders.collect(),
        links: links.collect(),
        payments: payments.collect(),
        refunds: refunds.collect(),
        adjustments_minor: adjustments.sum(),
        disputes: disputes.collect(),
        lost_in_disputes,
    }
}
