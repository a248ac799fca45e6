//! Disputes: a payer's bank disputes a payment, and the business has to answer by a date. The
//! amount of a lost dispute is deducted from a payout. Some accounts pay it when the dispute is
//! opened and get it back when they win.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde_json::{Value, json};

use crate::clock;
use crate::ids;
use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::ListFilter;
use crate::provider::{entities, webhooks};
use crate::state::SharedState;
use crate::store::rows::{Adjustment, Change, Dispute, DisputeStatus};

const DAY_S: i64 = 24 * 60 * 60;

pub(crate) async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<ListFilter>,
) -> Answer {
    let store = app.store();
    let disputes = store.disputes().iter().rev();
    let listed = disputes.filter(|dispute| filter.takes(dispute.created_at));
    let items: Vec<_> = filter.page(listed, 100)?.map(entity).collect();
    Ok(Json(entities::collection(&items)))
}

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let dispute = store.disputes().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(entity(dispute)))
}

/// A dispute in the JSON form of the provider.
pub(crate) fn entity(row: &Dispute) -> Value {
    json!({
        "id": row.id,
        "entity": "dispute",
        "payment_id": row.payment_id,
        "amount": row.amount,
        "currency": row.currency,
        "amount_deducted": row.amount_deducted,
        "gateway_dispute_id": null,
        "reason_code": row.reason_code,
        "reason_description": "Card holder disputes the payment",
        "respond_by": row.respond_by,
        "status": row.status.word(),
        "phase": row.phase,
        "comments": null,
        "evidence": { "amount": row.amount, "summary": null, "submitted_at": null },
        "created_at": row.created_at,
    })
}

/// A dispute to be opened.
pub(crate) struct NewDispute {
    pub(crate) payment_id: String,
    pub(crate) amount: Option<i64>,
    pub(crate) phase: String,
    pub(crate) days: i64,
    /// The amount is deducted when the dispute is opened.
    pub(crate) at_onset: bool,
}

pub(crate) fn open(app: &SharedState, new: NewDispute) -> Answer {
    let payment = app.store().payments().get(&new.payment_id).cloned();
    let payment = payment.ok_or_else(ApiError::unknown_id)?;
    let now = clock::now_s();
    let dispute = Dispute {
        id: ids::new_id("disp"),
        payment_id: payment.id,
        amount: new.amount.unwrap_or(payment.amount),
        currency: payment.currency,
        amount_deducted: 0,
        at_onset: new.at_onset,
        reason_code: "goods_or_services_not_received".to_owned(),
        respond_by: now.saturating_add(new.days.saturating_mul(DAY_S)),
        status: DisputeStatus::Open,
        phase: new.phase,
        created_at: now,
    };
    let taken = new.at_onset.then(|| adjustment(&dispute, -dispute.amount));
    commit(app, "payment.dispute.created", dispute, taken)
}

/// Changes a dispute's status, named by the last word of its event.
pub(crate) fn change_status(app: &SharedState, id: &str, word: &str) -> Answer {
    let dispute = app.store().disputes().get(id).cloned();
    let mut dispute = dispute.ok_or_else(ApiError::unknown_id)?;
    let mut balance_change = None;
    match dispute.status {
        DisputeStatus::Open | DisputeStatus::UnderReview => {}
        DisputeStatus::Won | DisputeStatus::Lost | DisputeStatus::Closed => {
            return Err(ApiError::bad_field("state", "The dispute is over."));
        }
    }
    dispute.status = match word {
        "under_review" => DisputeStatus::UnderReview,
        "action_required" => DisputeStatus::Open,
        "won" => DisputeStatus::Won,
        "lost" => DisputeStatus::Lost,
        "closed" => DisputeStatus::Closed,
        _ => return Err(ApiError::bad_field("state", "There is no such state of a dispute.")),
    };
    match dispute.status {
        DisputeStatus::Lost => {
            dispute.amount_deducted = dispute.amount;
            balance_change = (!dispute.at_onset).then(|| adjustment(&dispute, -dispute.amount));
        }
        DisputeStatus::Won | DisputeStatus::Closed => {
            balance_change = dispute.at_onset.then(|| adjustment(&dispute, dispute.amount));
        }
        DisputeStatus::Open | DisputeStatus::UnderReview => {}
    }
    commit(app, &format!("payment.dispute.{word}"), dispute, balance_change)
}

fn adjustment(dispute: &Dispute, amount: i64) -> Adjustment {
    Adjustment {
        id: ids::new_id("adj"),
        amount,
        currency: dispute.currency.clone(),
        description: "Dispute".to_owned(),
        created_at: clock::now_s(),
        settlement: None,
        payment_id: Some(dispute.payment_id.clone()),
        dispute_id: Some(dispute.id.clone()),
    }
}

fn commit(
    app: &SharedState,
    event: &str,
    row: Dispute,
    balance_change: Option<Adjustment>,
) -> Answer {
    let mut store = app.store();
    let payment = store.payments().get(&row.payment_id).map(entities::payment);
    let shown = entity(&row);
    let payment = payment.map(|payment| ("payment", payment));
    let parts = payment.into_iter().chain([("dispute", shown.clone())]).collect();
    let delivery = webhooks::envelope(app, event, parts);
    let delivery_ids = delivery.iter().map(|delivery| delivery.id.clone()).collect();
    let mut changes = vec![Change::Dispute(Box::new(row))];
    changes.extend(balance_change.map(|row| Change::Adjustment(Box::new(row))));
    changes.extend(delivery.map(|delivery| Change::Delivery(Box::new(delivery))));
    store.commit(changes)?;
    drop(store);
    webhooks::start(app, delivery_ids);
    Ok(Json(shown))
}
