//! Controls of disputes, which a payer's bank opens and decides.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Body, answer};
use crate::provider::disputes::{self, NewDispute};
use crate::state::SharedState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DisputeRequest {
    payment_id: String,
    /// The disputed amount; by default the whole payment.
    amount: Option<i64>,
    #[serde(default = "chargeback")]
    phase: String,
    /// How many days the business has to answer.
    #[serde(default = "a_week")]
    days: i64,
    /// Whether the amount is deducted when the dispute is opened.
    #[serde(default)]
    at_onset: bool,
}

fn chargeback() -> String {
    "chargeback".to_owned()
}

fn a_week() -> i64 {
    7
}

pub(super) async fn open(State(app): State<SharedState>, given: Body<DisputeRequest>) -> Response {
    answer(given, |DisputeRequest { payment_id, amount, phase, days, at_onset }| {
        disputes::open(&app, NewDispute { payment_id, amount, phase, days, at_onset })
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusRequest {
    dispute_id: String,
    state: String,
}

pub(super) async fn change_status(
    State(app): State<SharedState>,
    given: Body<StatusRequest>,
) -> Response {
    answer(given, |given| disputes::change_status(&app, &given.dispute_id, &given.state))
}
