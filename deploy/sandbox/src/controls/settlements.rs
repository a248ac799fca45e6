//! Controls of settlements: settle now, falsify a report, and do on the provider's own pages what
//! the practice does not know of.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::json;

use super::body::{Body, answer};
use crate::clock;
use crate::ids;
use crate::provider::bank::transaction;
use crate::provider::entities;
use crate::provider::errors::ApiError;
use crate::provider::{from_dashboard, settlements};
use crate::state::SharedState;
use crate::store::rows::{Adjustment, Change, SettledLine};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UncapturedPayment {
    payment_id: String,
}

/// Refunds an authorised, uncaptured payment as if its period were over.
pub(super) async fn give_back(
    State(app): State<SharedState>,
    given: Body<UncapturedPayment>,
) -> Response {
    answer(given, |given| {
        let payment = transaction::refund_uncaptured(&app, &given.payment_id)?;
        Ok(Json(entities::payment(&payment)))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettleRequest {
    /// The day of the report; today by default.
    day: Option<Date>,
}

pub(super) async fn settle(State(app): State<SharedState>, given: Body<SettleRequest>) -> Response {
    answer(given, |given| {
        let at = match given.day {
            Some(day) => settlements::payout_time_on(day)
                .ok_or_else(|| ApiError::bad_field("day", "There is no such day."))?,
            None => clock::now_s(),
        };
        let Some(settlement) = settlements::settle(&app, i64::MAX, at)? else {
            return Ok(Json(json!({ "settlement": null, "lines": [] })));
        };
        let line = |line| entities::settled_line(&settlement, line);
        let lines: Vec<_> = settlement.lines.iter().map(line).collect();
        Ok(Json(json!({ "settlement": entities::settlement(&settlement), "lines": lines })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdjustmentRequest {
    /// Positive when it is paid to the practice.
    amount: i64,
    description: Option<String>,
}

pub(super) async fn adjust(
    State(app): State<SharedState>,
    given: Body<AdjustmentRequest>,
) -> Response {
    answer(given, |given| {
        if given.amount == 0 {
            return Err(ApiError::bad_field("amount", "The amount must not be zero."));
        }
        let adjustment = Adjustment {
            id: ids::new_id("adj"),
            amount: given.amount,
            currency: "INR".to_owned(),
            description: given.description.unwrap_or_else(|| "Adjustment".to_owned()),
            created_at: clock::now_s(),
            settlement: None,
            payment_id: None,
            dispute_id: None,
        };
        let shown = entities::adjustment(&adjustment);
        app.commit(Change::Adjustment(Box::new(adjustment)))?;
        Ok(Json(shown))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefundRequest {
    payment_id: String,
    amount: Option<i64>,
}

/// Refunds a payment as a merchant does on the provider's dashboard.
pub(super) async fn refund(State(app): State<SharedState>, given: Body<RefundRequest>) -> Response {
    answer(given, |given| from_dashboard(&app, &given.payment_id, given.amount))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineChange {
    settlement_id: String,
    entity_id: String,
    /// Hides the line from the report, or shows it again.
    hidden: Option<bool>,
    amount: Option<i64>,
    debit: Option<i64>,
    credit: Option<i64>,
    fee: Option<i64>,
    tax: Option<i64>,
    currency: Option<String>,
    /// The id of another entity that replaces the line's.
    becomes: Option<String>,
}

impl LineChange {
    fn apply_to(&self, line: &mut SettledLine) {
        let set = |field: &mut i64, value: Option<i64>| *field = value.unwrap_or(*field);
        set(&mut line.amount, self.amount);
        set(&mut line.debit, self.debit);
        set(&mut line.credit, self.credit);
        set(&mut line.fee, self.fee);
        set(&mut line.tax, self.tax);
        line.hidden = self.hidden.unwrap_or(line.hidden);
        line.currency = self.currency.clone().unwrap_or_else(|| line.currency.clone());
        line.entity_id = self.becomes.clone().unwrap_or_else(|| line.entity_id.clone());
    }
}

/// Changes a line of the report. The settlement's own sum does not change.
pub(super) async fn change_line(
    State(app): State<SharedState>,
    given: Body<LineChange>,
) -> Response {
    answer(given, |given| {
        let mut store = app.store();
        let settlement = store.settlements().get(&given.settlement_id).cloned();
        let mut settlement = settlement.ok_or_else(ApiError::unknown_id)?;
        let line = settlement.lines.iter_mut().find(|line| line.entity_id == given.entity_id);
        let line = line.ok_or_else(ApiError::unknown_id)?;
        given.apply_to(line);
        let line = line.clone();
        let shown = entities::settled_line(&settlement, &line);
        store.commit(vec![Change::Settlement(Box::new(settlement))])?;
        Ok(Json(shown))
    })
}
