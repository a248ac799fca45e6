//! Signing in at other OpenID providers, and the identities that an account has there.

mod begin;
mod callback;
mod account;
mod identities;
mod id_token;

pub(crate) use self::id_token::{Shown, grant as id_token_grant};

use axum::Router;
use axum::routing::{delete, get};

use crate::app::App;
use crate::http::error::ApiError;
use crate::http::unsupported;
use crate::providers::Provider;

/// All of them.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/authorize", get(begin::authorize))
        .route("/callback", get(callback::by_query).post(callback::by_form))
        .route("/user/identities/authorize", get(begin::link))
        .route("/user/identities/{identity_id}", delete(identities::remove))
}

/// The provider with a name, if it is switched on.
fn provider<'a>(app: &'a App, name: &str) -> Result<&'a Provider, ApiError> {
    let name = name.to_ascii_lowercase();
    let known = app.providers.iter().find(|provider| provider.settings.name == name);
    known.ok_or_else(|| unsupported::provider(&name))
}

/// Where providers lead back to.
fn callback_url(app: &App) -> String {
    format!("{}/callback", app.tokens.issuer().trim_end_matches('/'))
}

/// Adding and removing identities, if it is switched on.
fn manual_linking(app: &App) -> Result<(), ApiError> {
    if app.features.manual_linking {
        return Ok(());
    }
    Err(ApiError::not_found("manual_linking_disabled", "Manual linking is disabled"))
}
