//! Settlements: captured payments are paid out to the practice's bank, less fees and refunds, and
//! listed line by line in a daily report. A day begins at midnight in India.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};
use serde::Deserialize;

use crate::clock;
use crate::ids;
use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::ListFilter;
use crate::provider::{entities, webhooks};
use crate::state::SharedState;
use crate::store::Store;
use crate::store::rows::{
    Adjustment, Change, Payment, PaymentStatus, Refund, RefundStatus, SettledLine, Settlement,
};

const DAY_S: i64 = 24 * 60 * 60;
/// After how many days captured payments are paid out automatically.
const SETTLED_AFTER_DAYS: i64 = 2;
/// The interval between two checks for due payments.
const SETTLE_INTERVAL: Duration = Duration::from_secs(600);
/// The most lines of a report in one answer.
const LINES_MAX: usize = 1_000;

pub(crate) async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<ListFilter>,
) -> Answer {
    let store = app.store();
    let listed = store.settlements().iter().rev().filter(|it| filter.takes(it.created_at));
    let items: Vec<_> = filter.page(listed, 100)?.map(entities::settlement).collect();
    Ok(Json(entities::collection(&items)))
}

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let settlement = store.settlements().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(entities::settlement(settlement)))
}

#[derive(Deserialize)]
pub(crate) struct ReportQuery {
    year: i16,
    month: i8,
    /// Without it, the report is about the whole month.
    day: Option<i8>,
    count: Option<usize>,
    skip: Option<usize>,
}

pub(crate) async fn recon(
    State(app): State<SharedState>,
    Query(query): Query<ReportQuery>,
) -> Answer {
    let is_reported = |settlement: &&Settlement| {
        day_of(settlement.created_at).is_some_and(|date| {
            (date.year(), date.month()) == (query.year, query.month)
                && query.day.is_none_or(|day| day == date.day())
        })
    };
    let store = app.store();
    let settled = store.settlements().iter().filter(is_reported);
    let lines = settled.flat_map(|it| it.lines.iter().map(move |line| (it, line)));
    let items: Vec<_> = lines
        .filter(|(_, line)| !line.hidden)
        .skip(query.skip.unwrap_or(0))
        .take(query.count.unwrap_or(10).min(LINES_MAX))
        .map(|(settlement, line)| entities::settled_line(settlement, line))
        .collect();
    Ok(Json(entities::collection(&items)))
}

fn india() -> TimeZone {
    Offset::from_seconds(19_800).map_or(TimeZone::UTC, TimeZone::fixed)
}

fn day_of(at_s: i64) -> Option<Date> {
    Some(jiff::Timestamp::from_second(at_s).ok()?.to_zoned(india()).date())
}

/// The time of a day's payout: ten o'clock in India.
pub(crate) fn payout_time_on(day: Date) -> Option<i64> {
    let at = day.to_datetime(Time::constant(10, 0, 0, 0)).to_zoned(india()).ok()?;
    Some(at.timestamp().as_second())
}

/// Pays out everything that was captured until a time and is not settled, together with its
/// refunds. A negative sum is settled too. Returns none when there is nothing to settle.
pub(crate) fn settle(
    app: &SharedState,
    until_s: i64,
    at_s: i64,
) -> Result<Option<Settlement>, ApiError> {
    let of_credits = app.switches.current().takes_fees_from_credits();
    let mut store = app.store();
    let id = ids::new_id("setl");
    let mut changes = Vec::new();
    let mut lines = Vec::new();
    for payment in due_payments(&store, until_s) {
        lines.push(payment_line(&store, payment, of_credits));
        let payment = Payment { settlement: Some(id.clone()), ..payment.clone() };
        changes.push(Change::Payment(Box::new(payment)));
    }
    let settling = |id: &str| lines.iter().any(|line| line.entity_id == id);
    let refunds: Vec<&Refund> = store
        .refunds()
        .iter()
        .filter(|it| it.status == RefundStatus::Processed && it.settlement.is_none())
        .filter(|it| {
            let payment = store.payments().get(&it.payment_id);
            settling(&it.payment_id) || payment.is_some_and(|it| it.settlement.is_some())
        })
        .collect();
    for refund in refunds {
        lines.push(refund_line(&store, refund));
        let refund = Refund { settlement: Some(id.clone()), ..refund.clone() };
        changes.push(Change::Refund(Box::new(refund)));
    }
    for adjustment in store.adjustments().iter().filter(|it| it.settlement.is_none()) {
        lines.push(adjustment_line(adjustment));
        let adjustment = Adjustment { settlement: Some(id.clone()), ..adjustment.clone() };
        changes.push(Change::Adjustment(Box::new(adjustment)));
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let settlement = Settlement {
        utr: ids::random_text(16),
        amount: lines.iter().map(|line| line.credit - line.debit).sum(),
        fees: lines.iter().map(|line| line.fee).sum(),
        tax: lines.iter().map(|line| line.tax).sum(),
        currency: "INR".to_owned(),
        created_at: at_s,
        lines,
        id,
    };
    let parts = vec![("settlement", entities::settlement(&settlement))];
    let delivery = webhooks::envelope(app, "settlement.processed", parts);
    let delivery_ids = delivery.iter().map(|delivery| delivery.id.clone()).collect();
    changes.push(Change::Settlement(Box::new(settlement.clone())));
    changes.extend(delivery.map(|delivery| Change::Delivery(Box::new(delivery))));
    store.commit(changes)?;
    webhooks::start(app, delivery_ids);
    Ok(Some(settlement))
}

fn due_payments(store: &Store, until_s: i64) -> impl Iterator<Item = &Payment> {
    store.payments().iter().filter(move |payment| {
        let is_here = matches!(payment.status, PaymentStatus::Captured | PaymentStatus::Refunded);
        let is_due = payment.created_at <= until_s && payment.settlement.is_none();
        payment.captured && is_here && is_due
    })
}

fn payment_line(store: &Store, payment: &Payment, of_credits: bool) -> SettledLine {
    let (fee, tax) = entities::fee_and_tax_of(payment);
    let withheld = if of_credits { 0 } else { fee };
    let order = store.orders().get(&payment.order_id);
    SettledLine {
        entity_id: payment.id.clone(),
        kind: "payment".to_owned(),
        dispute_id: None,
        payment_id: None,
        order_id: order.map(|order| order.id.clone()),
        order_receipt: order.and_then(|order| order.receipt.clone()),
        method: Some(payment.method),
        description: None,
        amount: payment.amount,
        debit: 0,
        credit: payment.amount - withheld,
        fee,
        tax,
        currency: payment.currency.clone(),
        created_at: payment.created_at,
        hidden: false,
        of_credits,
    }
}

fn refund_line(store: &Store, refund: &Refund) -> SettledLine {
    let payment = store.payments().get(&refund.payment_id);
    let order = payment.and_then(|payment| store.orders().get(&payment.order_id));
    SettledLine {
        entity_id: refund.id.clone(),
        kind: "refund".to_owned(),
        dispute_id: None,
        payment_id: Some(refund.payment_id.clone()),
        order_id: order.map(|order| order.id.clone()),
        order_receipt: order.and_then(|order| order.receipt.clone()),
        method: payment.map(|payment| payment.method),
        description: None,
        amount: refund.amount,
        debit: refund.amount,
        credit: 0,
        fee: 0,
        tax: 0,
        currency: refund.currency.clone(),
        created_at: refund.created_at,
        hidden: false,
        of_credits: false,
    }
}

fn adjustment_line(adjustment: &Adjustment) -> SettledLine {
    SettledLine {
        entity_id: adjustment.id.clone(),
        kind: "adjustment".to_owned(),
        dispute_id: adjustment.dispute_id.clone(),
        payment_id: adjustment.payment_id.clone(),
        order_id: None,
        order_receipt: None,
        method: None,
        description: Some(adjustment.description.clone()),
        amount: adjustment.amount.abs(),
        debit: (-adjustment.amount).max(0),
        credit: adjustment.amount.max(0),
        fee: 0,
        tax: 0,
        currency: adjustment.currency.clone(),
        created_at: adjustment.created_at,
        hidden: false,
        of_credits: false,
    }
}

/// Settles captured payments two days later.
pub(crate) async fn settle_periodically(app: SharedState) {
    loop {
        let now = clock::now_s();
        let until = now - SETTLED_AFTER_DAYS * DAY_S;
        let is_due = due_payments(&app.store(), until).next().is_some();
        if is_due && settle(&app, until, now).is_err() {
            tracing::error!("a settlement could not be written");
        }
        tokio::time::sleep(SETTLE_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_day_begins_at_midnight_in_india() {
        let day = |at_s| super::day_of(at_s).unwrap().to_string();
        // 2026-11-20T18:29:59Z and one second later.
        assert_eq!(day(1_795_199_399), "2026-11-20");
        assert_eq!(day(1_795_199_400), "2026-11-21");
        let morning = super::payout_time_on("2026-11-21".parse().unwrap()).unwrap();
        assert_eq!(morning, 1_795_199_400 + 10 * 3600);
    }
}
