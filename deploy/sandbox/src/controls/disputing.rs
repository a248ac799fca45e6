//! Controls of disputes: what a payer's bank does.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Body, answer};
use crate::provider::disputes::{self, NewDispute};
use crate::state::SharedState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
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

pub(super) async fn begin(State(app): State<SharedState>, given: Body<Begin>) -> Response {
    answer(given, |Begin { payment_id, amount, phase, days, at_onset }| {
        disputes::open(&app, NewDispute { payment_id, amount, phase, days, at_onset })
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoOn {
    dispute_id: String,
    state: String,
}

pub(super) async fn go_on(State(app): State<SharedState>, given: Body<GoOn>) -> Response {
    answer(given, |given| disputes::change_status(&app, &given.dispute_id, &given.state))
}
