//! The GoTrue contract over HTTP, served at `/`: one file per endpoint or family of them.

mod error;
mod request;
mod objects;
mod bearer;
mod signup;
mod grant;
mod password;
mod refresh;
mod verify;
mod mails;
mod user;
mod logout;
mod about;
mod absent;

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use axum::routing::{delete, get, post};

pub use error::ApiError;

use crate::app::App;

/// The most bytes that a request may have.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Answers that could tell by their time whether an address has an account come no sooner.
const QUIET_ANSWER: Duration = Duration::from_millis(200);

/// All endpoints.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/signup", post(signup::signup))
        .route("/token", post(grant::token))
        .route("/verify", post(verify::by_code).get(verify::by_link))
        .route("/resend", post(mails::resend))
        .route("/recover", post(mails::recover))
        .route("/user", get(user::read).put(user::change))
        .route("/logout", post(logout::logout))
        .route("/settings", get(about::settings))
        .route("/health", get(about::health))
        .route("/.well-known/jwks.json", get(about::jwks))
        .merge(absent_routes())
        .fallback(|| async { (StatusCode::NOT_FOUND, "404 page not found") })
        .layer(from_fn(request::each_parameter_once))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn(error::in_the_callers_form))
        .with_state(app)
}

/// What the client library can ask for and this server does not have.
fn absent_routes() -> Router<App> {
    Router::new()
        .route("/authorize", get(absent::authorize))
        .route("/otp", post(absent::otp))
        .route("/sso", post(absent::sso))
        .route("/reauthenticate", get(absent::reauthenticate))
        .route("/user/identities/authorize", get(absent::link_identity))
        .route("/user/identities/{identity_id}", delete(absent::link_identity))
        .route("/factors", post(absent::enroll))
        .route("/factors/{factor_id}", delete(absent::factor))
        .route("/factors/{factor_id}/challenge", post(absent::factor))
        .route("/factors/{factor_id}/verify", post(absent::factor))
}

/// Does the work, and answers no sooner than such an answer always takes.
async fn quietly<T>(work: impl Future<Output = T>) -> T {
    let (done, ()) = tokio::join!(work, tokio::time::sleep(QUIET_ANSWER));
    done
}
