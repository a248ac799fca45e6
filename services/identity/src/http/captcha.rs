//! The contract's captcha token. Here it is a proof of work, which lifts the limits of a network.
//! Other clients need none, unless the practice requires it of all.

use axum::http::StatusCode;
use kernel::Timestamp;
use serde::Deserialize;
use tokio::time::Instant;

use crate::app::App;
use crate::guard::caller::{Caller, network_address};
use crate::guard::spray::FORGET_AFTER_SECONDS;
use crate::guard::work::Work;
use crate::http::error::ApiError;
use crate::http::request::non_empty;

/// The contract's field `gotrue_meta_security` of bodies.
#[derive(Clone, Deserialize, Default)]
pub(crate) struct MetaSecurity {
    captcha_token: Option<String>,
}

/// Whether the client has worked for this request, where no client needs to.
pub(crate) async fn may_have_worked(
    app: &App,
    meta: Option<MetaSecurity>,
) -> Result<bool, ApiError> {
    let token = meta.and_then(|meta| meta.captcha_token);
    let Some(token) = non_empty(token.as_deref()) else { return Ok(false) };
    let now = app.store.now().await?;
    Ok(app.work.accept(token, &app.codes, (bits(app), now)))
}

/// Whether the client has worked for this request.
pub(crate) async fn has_worked(app: &App, meta: Option<MetaSecurity>) -> Result<bool, ApiError> {
    let token = meta.and_then(|meta| meta.captcha_token);
    let token = non_empty(token.as_deref());
    if token.is_none() && !app.captcha_required {
        return Ok(false);
    }
    let now = app.store.now().await?;
    if token.is_some_and(|token| app.work.accept(token, &app.codes, (bits(app), now))) {
        return Ok(true);
    }
    if !app.captcha_required {
        return Ok(false);
    }
    let why = token.map_or("no captcha_token found", |_wrong| "invalid-input-response");
    let message = format!("captcha protection: request disallowed ({why})");
    Err(asking_for_work(app, now, ApiError::bad("captcha_failed", message)))
}

/// The response to a client whose network is over its limit: work lifts it, and so does the time
/// in which one more is allowed.
pub(crate) async fn limited(app: &App, code: &'static str) -> ApiError {
    let error = match code {
        // People read when they can ask again; guesses are told the contract's words.
        "over_email_send_rate_limit" => ApiError::wait(code, FORGET_AFTER_SECONDS),
        _ => ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, "Request rate limit reached")
            .retry_after(FORGET_AFTER_SECONDS),
    };
    match app.store.now().await {
        Ok(now) => asking_for_work(app, now, error),
        Err(_unavailable) => error,
    }
}

fn asking_for_work(app: &App, now: Timestamp, error: ApiError) -> ApiError {
    error.with_challenge(Work::challenge(&app.codes, bits(app), now))
}

fn bits(app: &App) -> u32 {
    app.spray.work_bits(network_address(&Caller::current()), Instant::now())
}
