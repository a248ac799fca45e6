//! Signing in ends the session that the browser had before (ASVS 7.2.4). The identity server is
//! asked by its contract, so that it works before a hosted one too: the earlier refresh token is
//! exchanged for an access token, and that one signs its session out.

use std::sync::Arc;

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use runtime::scope::carried;
use serde_json::{Map, Value, json};

use crate::caller::Caller;
use crate::proxy::{Proxy, ProxyError};

/// A session and its user are a few kilobytes.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
/// How a hosted server knows the site.
const API_KEY: HeaderName = HeaderName::from_static("apikey");

/// The session whose refresh token a sign-in's request had in its cookie.
#[derive(Debug)]
pub(super) struct EarlierSession {
    refresh_token: String,
    /// The session in whose name the request was made.
    named: Option<String>,
    api_key: Option<HeaderValue>,
}

impl EarlierSession {
    /// The session of a request's cookie, if there is one.
    pub(super) fn of(refresh_token: Option<&str>, headers: &HeaderMap) -> Option<Self> {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
        Some(Self {
            refresh_token: refresh_token?.to_owned(),
            named: bearer.and_then(|it| it.strip_prefix("Bearer ")).and_then(session_id),
            api_key: headers.get(API_KEY).cloned(),
        })
    }

    /// Ends it in the background, unless `answer`, which has a session, goes on with it. Without an
    /// answer of the identity server it stays until it ends by itself.
    pub(super) fn end_behind(self, proxy: Arc<Proxy>, caller: Caller, answer: &[u8]) {
        let now = access_token(answer).as_deref().and_then(session_id);
        if now.is_some() && now == self.named {
            return;
        }
        drop(tokio::spawn(carried(async move {
            if self.end(&proxy, &caller, now).await.is_err() {
                tracing::warn!("the browser's earlier session was not ended at a sign-in");
            }
        })));
    }

    async fn end(
        self,
        proxy: &Proxy,
        caller: &Caller,
        now: Option<String>,
    ) -> Result<(), ProxyError> {
        let body = json!({ "refresh_token": self.refresh_token }).to_string();
        let path = "/token?grant_type=refresh_token";
        let answer = self.post(proxy, caller, path, (body, None)).await?;
        if answer.status().is_server_error() || answer.status() == 429 {
            return Err(ProxyError::Unreachable);
        }
        let bytes = axum::body::to_bytes(answer.into_body(), ANSWER_BYTES_MAX).await;
        let bytes = bytes.map_err(|_broken_off| ProxyError::Unreachable)?;
        // A refused refresh says that the session has ended.
        let Some(token) = access_token(&bytes) else { return Ok(()) };
        let earlier = session_id(&token);
        if earlier.is_some() && earlier == now {
            return Ok(());
        }
        let answer =
            self.post(proxy, caller, "/logout?scope=local", (String::new(), Some(&token))).await?;
        if answer.status().is_success() { Ok(()) } else { Err(ProxyError::Unreachable) }
    }

    async fn post(
        &self,
        proxy: &Proxy,
        caller: &Caller,
        path: &str,
        (body, token): (String, Option<&str>),
    ) -> Result<Response, ProxyError> {
        let mut parts: Parts = Request::new(()).into_parts().0;
        parts.method = Method::POST;
        let json = HeaderValue::from_static("application/json");
        parts.headers.insert(header::CONTENT_TYPE, json);
        parts.headers.extend(self.api_key.clone().map(|key| (API_KEY, key)));
        let bearer = token.and_then(|it| HeaderValue::from_str(&format!("Bearer {it}")).ok());
        parts.headers.extend(bearer.map(|bearer| (header::AUTHORIZATION, bearer)));
        let url = format!("{}{path}", proxy.identity);
        proxy.send(caller, (parts, Bytes::from(body)), url).await
    }
}

fn access_token(answer: &[u8]) -> Option<String> {
    let session: Map<String, Value> = serde_json::from_slice(answer).ok()?;
    session.get("access_token")?.as_str().map(str::to_owned)
}

/// The session of an access token that came from the identity server itself.
fn session_id(token: &str) -> Option<String> {
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Map<String, Value> = serde_json::from_slice(&payload).ok()?;
    claims.get("session_id")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::session_id;

    #[test]
    fn a_token_tells_its_session() {
        // {"session_id":"s1"}
        assert_eq!(session_id("e30.eyJzZXNzaW9uX2lkIjoiczEifQ.x").as_deref(), Some("s1"));
        for other in ["", "a", "a.b.c", "e30.e30.x", "an.access.token"] {
            assert_eq!(session_id(other), None, "{other}");
        }
    }
}
