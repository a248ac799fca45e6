//! Controls of the switches on the provider's dashboard.

use axum::Json;
use axum::extract::State;
use serde_json::json;

use super::body::Body;
use crate::provider::errors::{Answer, ApiError};
use crate::state::SharedState;
use crate::switches::Switches;

pub(super) async fn show(State(app): State<SharedState>) -> Answer {
    Ok(Json(json!(app.switches.current())))
}

pub(super) async fn set(State(app): State<SharedState>, given: Body<Switches>) -> Answer {
    let Ok(Json(given)) = given else {
        return Err(ApiError::bad("The switches could not be read."));
    };
    if !given.is_within_limits() {
        return Err(ApiError::bad("No switch goes beyond 50 percent."));
    }
    app.switches.set(given);
    Ok(Json(json!(given)))
}
