//! Controls of payment links: what happens to them on the provider's side.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Body, answer};
use crate::provider::links;
use crate::state::SharedState;
use crate::store::rows::LinkStatus;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkRequest {
    link_id: String,
    becomes: End,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    /// Its time is over now.
    Expired,
    /// The business cancels it on the provider's pages.
    Cancelled,
}

pub(super) async fn change(State(app): State<SharedState>, given: Body<LinkRequest>) -> Response {
    answer(given, |given| {
        let status = match given.becomes {
            End::Expired => LinkStatus::Expired,
            End::Cancelled => LinkStatus::Cancelled,
        };
        links::end(&app, &given.link_id, status)
    })
}
