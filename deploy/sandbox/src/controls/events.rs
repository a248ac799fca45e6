//! Events of features that this provider does not simulate: downtimes, invoices, transfers
//! and others of the documentation. A test gives their entities. They are sent like all other
//! webhooks: in the provider's envelope, signed, and again after a failure.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::body::{Body, answer};
use crate::provider::errors::{Answer, ApiError};
use crate::provider::webhooks;
use crate::state::SharedState;
use crate::store::rows::Change;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventRequest {
    /// The event's name, such as `payment.downtime.started`.
    event: String,
    /// The event's entities, by their names in the payload.
    entities: Map<String, Value>,
}

pub(super) async fn send(State(app): State<SharedState>, given: Body<EventRequest>) -> Response {
    answer(given, |request| send_event(&app, request))
}

fn send_event(app: &SharedState, request: EventRequest) -> Answer {
    let parts = request.entities.into_iter().collect();
    let delivery = webhooks::envelope(app, &request.event, parts)
        .ok_or_else(|| ApiError::bad("Webhooks have no address, or it is switched off."))?;
    let id = delivery.id.clone();
    app.commit(Change::Delivery(Box::new(delivery)))?;
    webhooks::start(app, vec![id.clone()]);
    Ok(Json(json!({ "event_id": id })))
}
