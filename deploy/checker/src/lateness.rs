//! I7 over a whole practice: timers, relays, consumers and webhooks that are late, and what waits
//! for a person. I9: events of mails that have no row.

use anyhow::Result;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{Postgres, Row as _};

use crate::blank::Parked;
use crate::report::Report;
use crate::stores::{Store, Stores};
use crate::unfinished::{CONSUMERS, GRACE_SECONDS};
use crate::violation::{Finding, Invariant};

/// Looks at everything that should have happened by now.
pub(crate) async fn check(stores: &mut Stores, report: &mut Report) -> Result<()> {
    let mut found = Finding::of(Invariant::I7);
    let due_before = stores.taken_at.plus_seconds(-GRACE_SECONDS);
    for store in stores.all() {
        let name = store.name;
        let query = sqlx::query(
            "select kind, subject, due_at from timers where due_at < $1 order by due_at",
        );
        let timers = store.rows(query.bind(due_before), crate::streams::timer).await?;
        for timer in timers {
            let (kind, subject, due) = (&timer.kind, &timer.subject, timer.due_at);
            found.add(format!("{name}: {kind} of {subject} was due at {due}"));
        }
        let query = sqlx::query(
            "select count(*) from outbox join events using (seq) where recorded_at < $1",
        );
        let waiting: Vec<i64> = store.rows(query.bind(due_before), |row| row.try_get(0)).await?;
        if waiting.into_iter().sum::<i64>() > 0 {
            found.add(format!("{name}: the relay is behind"));
        }
    }
    for (reader, consumer, source) in CONSUMERS {
        let Some(own) = stores.of(reader) else { continue };
        let query = sqlx::query("select position from checkpoints where consumer = $1");
        let at: Option<i64> = own.rows(query.bind(consumer), |row| row.try_get(0)).await?.pop();
        let at = at.unwrap_or(0);
        let Some(log) = stores.of(source) else { continue };
        let query = sqlx::query(
            "select exists (select from feed join events using (seq)
                            where feed.position > $1 and recorded_at < $2)",
        );
        let behind: Option<bool> =
            log.rows(query.bind(at).bind(due_before), |row| row.try_get(0)).await?.pop();
        if behind == Some(true) {
            found.add(format!("{consumer} is behind at {at}"));
        }
    }
    webhooks(&mut stores.payments, &mut found).await?;
    report.add(found.violations);
    mail_events(&mut stores.notifications, report).await
}

async fn webhooks(payments: &mut Store, found: &mut Finding) -> Result<()> {
    let query = sqlx::query(
        "select event_id from webhook_inbox w
         where folded_at is null and waits_for_order_id is null and not exists (
             select from timers t where t.kind = 'fold-webhook' and t.subject = w.event_id)",
    );
    let forgotten: Vec<String> = payments.rows(query, |row| row.try_get(0)).await?;
    for event in forgotten {
        found.add(format!("payments: no timer is left for fold-webhook of {event}"));
    }
    let query = sqlx::query(
        "select distinct waits_for_order_id from webhook_inbox w
         where waits_for_order_id is not null and (
             exists (select from collections c where c.order_id = w.waits_for_order_id)
             or exists (select from payment_link_orders o
                        where o.order_id = w.waits_for_order_id))",
    );
    let known: Vec<String> = payments.rows(query, |row| row.try_get(0)).await?;
    for order in known {
        found.add(format!("a webhook waits for {order}, which we know"));
    }
    Ok(())
}

async fn mail_events(notifications: &mut Store, report: &mut Report) -> Result<()> {
    let mut found = Finding::of(Invariant::I9);
    let query = sqlx::query(
        "select stream_id from events e
         where stream_id like 'mail-%' and version = 1 and not exists (
             select from mails m where 'mail-' || m.mail_id::text = e.stream_id)",
    );
    let orphans: Vec<String> = notifications.rows(query, |row| row.try_get(0)).await?;
    for stream in orphans {
        found.add(format!("{stream} has events and no row"));
    }
    report.add(found.violations);
    Ok(())
}

/// What waits for a person; it breaks nothing.
pub(crate) async fn tasks(stores: &mut Stores, parked: &Parked, report: &mut Report) -> Result<()> {
    let query = sqlx::query("select count(*) from mails where state = 'failed'");
    let mails = count(&mut stores.notifications, query).await?;
    let query = sqlx::query(
        "select count(*) from refunds r where state = 'failed' and cause <> 'elsewhere'
             and not exists (select from refunds n where n.renews_refund_id = r.refund_id)",
    );
    let refunds = count(&mut stores.payments, query).await?;
    for (count, what) in [
        (i64::try_from(parked.count).unwrap_or(i64::MAX), "events that no consumer could take in"),
        (mails, "mails that failed"),
        (refunds, "refunds that failed"),
    ] {
        if count > 0 {
            report.tasks.push(format!("{count} {what}"));
        }
    }
    Ok(())
}

async fn count(store: &mut Store, query: Query<'_, Postgres, PgArguments>) -> Result<i64> {
    let counts: Vec<i64> = store.rows(query, |row| row.try_get(0)).await?;
    Ok(counts.into_iter().sum())
}
