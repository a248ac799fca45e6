//! The signed-in caller: a valid access token with an active session.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use kernel::Timestamp;
use uuid::Uuid;

use crate::app::App;
use crate::http::error::ApiError;
use crate::repository::sessions::{self, Session};
use crate::repository::users::{self, User};

/// The caller, and the time of the lookup.
pub(crate) struct SignedIn {
    pub(crate) user: User,
    pub(crate) session: Session,
    pub(crate) now: Timestamp,
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let token = bearer(&parts.headers).ok_or_else(|| {
            let message = "This endpoint requires a valid Bearer token";
            ApiError::new(StatusCode::UNAUTHORIZED, "no_authorization", message)
        })?;
        let claims = app.tokens.verify(token).ok_or_else(|| {
            bad_jwt("invalid JWT: unable to parse or verify signature, token is unverifiable")
        })?;
        let now = app.store.now().await?;
        if claims.exp <= now.seconds() {
            return Err(bad_jwt(
                "invalid JWT: unable to parse or verify signature, \
                 token has invalid claims: token is expired",
            ));
        }
        if claims.sub.is_empty() {
            return Err(bad_jwt("invalid claim: missing sub claim"));
        }
        let user_id: Uuid = claims.sub.parse().map_err(|_not_one| {
            ApiError::bad("bad_jwt", "invalid claim: sub claim must be a UUID")
        })?;
        let user = users::by_id(app.store.pool(), user_id).await?.ok_or_else(|| {
            ApiError::forbidden("user_not_found", "User from sub claim in JWT does not exist")
        })?;
        let session = sessions::find_active(app.store.pool(), user_id, claims.session_id).await?;
        let session = session.ok_or_else(|| {
            let message = "Session from session_id claim in JWT does not exist";
            ApiError::forbidden("session_not_found", message)
        })?;
        if user.is_banned(now) {
            return Err(ApiError::forbidden("user_banned", "User is banned"));
        }
        Ok(Self { user, session, now })
    }
}

/// A caller who may be signed in. A token that is not ours, or whose session has ended, shows
/// nothing: clients of the contract send other keys in its place.
pub(crate) struct Visitor(pub(crate) Option<SignedIn>);

impl FromRequestParts<App> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        if bearer(&parts.headers).is_none() {
            return Ok(Self(None));
        }
        match SignedIn::from_request_parts(parts, app).await {
            Ok(signed_in) => Ok(Self(Some(signed_in))),
            Err(error) if error.is_ours() => Err(error),
            Err(_refused) => Ok(Self(None)),
        }
    }
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

pub(crate) fn bad_jwt(message: &'static str) -> ApiError {
    ApiError::forbidden("bad_jwt", message)
}
