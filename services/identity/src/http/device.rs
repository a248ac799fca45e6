//! What a request says of the device that sent it.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header::{HeaderName, USER_AGENT};
use axum::http::request::Parts;

use crate::guard::caller::Caller;
use crate::repository::sessions::Device;

/// Set by the gateway, which replaces what the client sent.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Maximum characters that are kept of a header.
const CHARACTERS_MAX: usize = 256;

/// The device of a request.
pub(crate) struct FromDevice(pub(crate) Device);

impl<S: Send + Sync> FromRequestParts<S> for FromDevice {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let header = |name: HeaderName| {
            let text = parts.headers.get(name)?.to_str().ok()?.trim();
            let kept: String = text.chars().take(CHARACTERS_MAX).collect();
            (!kept.is_empty()).then_some(kept)
        };
        let tokens = Caller::of(&parts.headers).devices().map(str::to_owned);
        Ok(Self(Device { user_agent: header(USER_AGENT), network: header(FORWARDED_FOR), tokens }))
    }
}
