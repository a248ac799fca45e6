//! What payments' database holds about a range of bookings.

use anyhow::Result;
use kernel::Id;
use kernel::id::{Booking, PaymentLink, Refund};
use payments::contract::refund_request::stream;
use payments::timers::kinds::{CLOSE_LINK, REFUND, RENEW_REFUND};
use payments::timers::polling::POLL_ORDER;
use sqlx::Row as _;
use uuid::Uuid;

use crate::history::History;
use crate::range::Range;
use crate::rows;
use crate::snapshot::{LedgerLine, PaymentsStore};
use crate::stores::Store;
use crate::streams::{events, events_of, timer};

/// Events, rows, receipts and timers; the ledger needs to know the payments first.
pub(super) async fn read(store: &mut Store, range: &Range, into: &mut PaymentsStore) -> Result<()> {
    into.log.events = events(store, range, "collection-").await?;
    let collections = range.query(
        "select * from collections where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.collections = store.rows(collections, rows::collection).await?;
    let links = range.query(
        "select l.*, array(
             select order_id from payment_link_orders o where o.link_id = l.link_id
         ) as order_ids
         from payment_links l
         where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.links = store.rows(links, rows::link).await?;
    let refunds = range.query(
        "select * from refunds where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.refunds = store.rows(refunds, rows::refund).await?;
    let receipts = range.query(
        "select * from receipts where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    let receipts = store
        .rows(receipts, |row| Ok((rows::receipt(row)?, row.try_get::<Uuid, _>("receipt_id")?)))
        .await?;
    let streams = receipts.iter().map(|(_, id)| format!("receipt-{id}")).collect();
    into.log.events.extend(events_of(store, streams).await?);
    let requests = range.query(
        "select request_id, booking_id, state, amount_minor, amount_currency from refund_requests
         where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.refund_requests = store.rows(requests, rows::refund_request).await?;
    let streams = into.refund_requests.iter().map(|row| stream(row.request_id)).collect();
    into.log.events.extend(events_of(store, streams).await?);
    into.receipts = Some(receipts.into_iter().map(|(row, _)| row).collect());
    timers(store, range, into).await
}

/// The orders of the bookings that the range leaves out.
pub(crate) async fn orders_without(store: &mut Store, range: &Range) -> Result<Vec<String>> {
    let query = sqlx::query(
        "select order_id from collections where booking_id = any($1) and order_id is not null
         union
         select o.order_id from payment_links l join payment_link_orders o using (link_id)
         where l.booking_id = any($1)",
    );
    store.rows(query.bind(range.ids_without()), |row| row.try_get(0)).await
}

async fn timers(store: &mut Store, range: &Range, into: &mut PaymentsStore) -> Result<()> {
    let id = |uuid| Id::<Booking>::from_uuid(uuid).to_string();
    let of_orders = sqlx::query(
        "select kind, subject, due_at from timers where kind = $1 and subject between $2 and $3",
    );
    let of_orders = of_orders.bind(POLL_ORDER).bind(id(range.first)).bind(id(range.last));
    into.log.timers = store.rows(of_orders, timer).await?;
    let links = into.links.iter().map(|row| Id::<PaymentLink>::to_string(&row.link_id));
    let refunds = into.refunds.iter().map(|row| Id::<Refund>::to_string(&row.refund_id));
    let subjects: Vec<String> = links.chain(refunds).collect();
    let kinds: Vec<String> = [CLOSE_LINK, REFUND, RENEW_REFUND].map(str::to_owned).to_vec();
    let others = sqlx::query(
        "select kind, subject, due_at from timers where kind = any($1) and subject = any($2)",
    );
    into.log.timers.extend(store.rows(others.bind(kinds).bind(subjects), timer).await?);
    Ok(())
}

/// The ledger's lines about the bookings and about their payments.
pub(super) async fn read_ledger(
    store: &mut Store,
    range: &Range,
    history: &History,
    into: &mut PaymentsStore,
) -> Result<()> {
    let mut payments: Vec<String> = Vec::new();
    for collection in history.collections.values() {
        payments.extend(collection.payments.keys().map(ToString::to_string));
        payments.extend(collection.refunds.values().map(|refund| refund.payment.to_string()));
    }
    let query = sqlx::query(
        "with entries as (
             select entry_id, payment_id from ledger_entries
             where booking_id between $1 and $2 and booking_id <> all($3)
             union
             select entry_id, payment_id from ledger_entries where payment_id = any($4)
         )
         select entry_id::text as entry, payment_id, account, amount_minor, amount_currency
         from entries join ledger_lines using (entry_id)",
    );
    let query = query.bind(range.first).bind(range.last).bind(range.ids_without()).bind(payments);
    let lines: Vec<LedgerLine> = store.rows(query, rows::ledger_line).await?;
    into.ledger = Some(lines);
    Ok(())
}
