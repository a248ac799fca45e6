//! Controls of disputes: what a payer's bank does.

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
    /// All of the payment when it is not given.
    amount: Option<i64>,
    #[serde(default = "chargeback")]
    phase: String,
    /// How long the business has.
    #[serde(default = "a_week")]
    days: i64,
    /// Whether the amount is taken at once.
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
