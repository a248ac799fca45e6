//! The GoTrue contract over HTTP, served at `/`: one file per endpoint or family of them.

mod error;
mod cors;
mod timing;
mod request;
mod challenge;
mod device;
mod objects;
mod opening;
mod captcha;
mod code_guess;
mod bearer;
mod login;
mod proving;
mod phone;
mod anonymous;
mod signup;
mod identity_links;
mod pkce;
mod grant;
mod password;
mod refresh;
mod code_mail;
mod email_change;
mod redeem;
mod verify_link;
mod verify;
mod mails;
mod otp;
mod levels;
mod reauthenticate;
mod user;
mod logout;
mod server_info;
mod counter;
mod factors;
mod recovery_codes;
mod passkeys;
mod session_list;
mod admin;
mod external;
mod unsupported;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, patch, post};

use crate::app::App;
use crate::guard::caller;

/// Maximum bytes of a request body.
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// All endpoints.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/signup", post(signup::signup))
        .route("/token", post(grant::token))
        .route("/verify", post(verify::by_code).get(verify_link::by_link))
        .route("/resend", post(mails::resend))
        .route("/recover", post(mails::recover))
        .route("/otp", post(otp::otp))
        .route("/magiclink", post(otp::magiclink))
        .route(
            "/reauthenticate",
            get(reauthenticate::reauthenticate).post(reauthenticate::reauthenticate),
        )
        .route("/reauthenticate/verify", post(reauthenticate::verify))
        .route("/user", get(user::read).put(user::update))
        .route("/logout", post(logout::logout))
        .route("/settings", get(server_info::settings))
        .route("/health", get(server_info::health))
        .route("/.well-known/jwks.json", get(server_info::jwks))
        .route("/.well-known/openid-configuration", get(server_info::openid))
        .merge(factor_routes())
        .merge(own_routes())
        .merge(admin::routes())
        .merge(external::routes())
        .merge(unsupported_routes())
        .fallback(|| async { (StatusCode::NOT_FOUND, "404 page not found") })
        .layer(from_fn(request::reject_duplicate_parameters))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn(error::render_errors))
        .layer(from_fn_with_state(app.clone(), cors::allow))
        .layer(from_fn(caller::recognise))
        .with_state(app)
}

/// Second factors, as the contract has them.
fn factor_routes() -> Router<App> {
    Router::new()
        .route("/factors", post(factors::enroll::enroll))
        .route("/factors/{factor_id}", delete(factors::unenroll::unenroll))
        .route("/factors/{factor_id}/challenge", post(factors::challenge::challenge))
        .route("/factors/{factor_id}/verify", post(factors::verify::verify))
}

/// Endpoints beyond the contract: recovery codes, passkeys, the list of sessions. The client
/// library ends the ceremonies of passkeys at `/verify`.
fn own_routes() -> Router<App> {
    Router::new()
        .route("/factors/recovery-codes", get(recovery_codes::count).post(recovery_codes::make))
        .route("/factors/recovery-codes/verify", post(recovery_codes::verify))
        .route("/passkeys", get(passkeys::list))
        .route("/passkeys/{passkey_id}", patch(passkeys::rename).delete(passkeys::delete))
        .route("/passkeys/registration/options", post(passkeys::registration::options))
        .route("/passkeys/registration", post(passkeys::registration::register))
        .route("/passkeys/registration/verify", post(passkeys::registration::register))
        .route("/passkeys/authentication/options", post(passkeys::authentication::options))
        .route("/passkeys/authentication", post(passkeys::authentication::sign_in))
        .route("/passkeys/authentication/verify", post(passkeys::authentication::sign_in))
        .route("/sessions", get(session_list::list))
        .route("/sessions/{session_id}", delete(session_list::end))
}

/// Endpoints of the client library that this server does not support.
fn unsupported_routes() -> Router<App> {
    Router::new()
        .route("/sso", post(unsupported::sso))
        .route("/sso/saml/metadata", get(unsupported::sso))
        .route("/sso/saml/acs", post(unsupported::sso))
        .route("/saml/metadata", get(unsupported::sso))
        .route("/saml/acs", post(unsupported::sso))
}
