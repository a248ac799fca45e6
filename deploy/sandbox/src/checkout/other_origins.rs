//! The resources that the checkout uses besides its frame, each at an origin of its own as at the
//! real provider: a script for risk detection, and a beacon address. A website whose content policy
//! allows neither loses both, and payments still work.

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;

use crate::assets;
use crate::state::{AppState, SharedState};

const RISK: &str = include_str!("risk.js");

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/risk/bundle.js", get(|| async { risk() })).route("/beacon", post(beacon))
}

pub(super) fn risk_url(app: &AppState) -> String {
    named(&app.public_url, "risk")
}

pub(super) fn beacon_url(app: &AppState) -> String {
    named(&app.public_url, "beacon")
}

/// The same address under another host name, which browsers resolve to their own machine. An
/// address that other machines can reach stays as it is.
fn named(url: &str, name: &str) -> String {
    let there = format!("://{name}.localhost:");
    url.replacen("://127.0.0.1:", &there, 1).replacen("://localhost:", &there, 1)
}

fn risk() -> Response {
    assets::cross_origin(assets::file(assets::SCRIPT, RISK))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Beacon {
    order_id: String,
    /// The script that calls: `checkout` or `risk`.
    script: String,
}

async fn beacon(
    State(app): State<SharedState>,
    Query(Beacon { order_id, script }): Query<Beacon>,
) -> StatusCode {
    app.checkout_log.add_beacon(json!({ "order_id": order_id, "script": script }));
    StatusCode::NO_CONTENT
}
