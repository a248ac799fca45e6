//! Signing in at other OpenID providers, and the identities that an account has there.

mod begin;
mod callback;
mod account;
mod identities;
mod id_token;
mod settings;

pub(crate) use self::id_token::{Shown, grant as id_token_grant};

use axum::Router;
use axum::routing::{delete, get};

use crate::app::App;

/// All of them.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/authorize", get(begin::authorize))
        .route("/callback", get(callback::by_query).post(callback::by_form))
        .route("/user/identities/authorize", get(begin::link))
        .route("/user/identities/{identity_id}", delete(identities::remove))
}
