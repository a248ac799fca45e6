//! The address of a mail's unsubscribe link: a page with a confirmation for people, and one-click
//! for mail programs (RFC 8058). The token in its query is forwarded and never logged.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use connectrpc::ErrorCode;
use http::{HeaderValue, Method, StatusCode, header};

use crate::bodies::{BodyError, BodyReader};
use crate::caller::Caller;
use crate::error_response;
use crate::pages::{self, SiteState};
use crate::rate_limits::RateLimiters;
use crate::upstream::UnsubscribeClient;

/// A mail program sends one short field.
const BODY_BYTES_MAX: usize = 1024;
/// A token has 43 characters; a much longer one is invalid.
const TOKEN_CHARS_MAX: usize = 64;
/// The field from the mail's header that the program sends back, so that a program that merely
/// follows links, such as a virus scanner, never unsubscribes a client.
const FIELD: &str = "List-Unsubscribe";
const ONE_CLICK: &str = "One-Click";
/// `Retry-After` for mail programs.
const TRY_AGAIN_SECONDS: u64 = 120;

const DONE: &str = "Done. You will get no more mails of this kind from us.";
const NOT_A_LINK: &str = "This link is not complete. Please use the one in the mail.";
const NOT_ONE_CLICK: &str = "Please open this address in a browser.";
const TOO_LARGE: &str = "The request is too large.";
const TOO_SLOW: &str = "The request took too long to arrive. Please try again.";
const UNAVAILABLE: &str = "This is not possible right now. Please try again in a few minutes.";
const TOO_MUCH: &str = "That was a lot at once. Please wait a little and try again.";

/// State of the handler.
pub(crate) struct UnsubscribeState {
    pub(crate) site: Arc<SiteState>,
    pub(crate) notifications: UnsubscribeClient,
    pub(crate) limits: Arc<RateLimiters>,
    pub(crate) bodies: Arc<BodyReader>,
}

/// Serves the page, or unsubscribes at a mail program's request. Such a request has no cookie and
/// no origin of ours, so only the link's token is checked.
pub(crate) async fn serve(
    State(state): State<Arc<UnsubscribeState>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => {
            pages::serve(State(state.site.clone()), Extension(caller), request).await
        }
        Method::POST => state.one_click(&caller, request).await,
        _ => error_response::method_not_allowed("GET, HEAD, POST", &caller.reference),
    }
}

impl UnsubscribeState {
    async fn one_click(&self, caller: &Caller, request: Request) -> Response {
        if let Err(retry_after) = self.limits.check_unsubscribing(caller.address) {
            let mut answer = text_response(StatusCode::TOO_MANY_REQUESTS, TOO_MUCH);
            answer.headers_mut().insert(header::RETRY_AFTER, retry_after.header());
            return answer;
        }
        let token = token(request.uri().query().unwrap_or_default());
        let body = self.bodies.read(caller.address, request.into_body(), BODY_BYTES_MAX).await;
        let body = match body {
            Ok(body) => body,
            Err(BodyError::TooLarge) => {
                return text_response(StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE);
            }
            Err(BodyError::TimedOut) => {
                return text_response(StatusCode::REQUEST_TIMEOUT, TOO_SLOW);
            }
            Err(BodyError::OverBudget) => return unavailable(),
        };
        if !is_one_click(&body.bytes) {
            return text_response(StatusCode::BAD_REQUEST, NOT_ONE_CLICK);
        }
        let Some(token) = token else { return text_response(StatusCode::BAD_REQUEST, NOT_A_LINK) };
        match self.notifications.unsubscribe(token).await {
            Ok(()) => text_response(StatusCode::OK, DONE),
            Err(error) if error.code == ErrorCode::InvalidArgument => {
                text_response(StatusCode::BAD_REQUEST, NOT_A_LINK)
            }
            Err(_no_answer) => unavailable(),
        }
    }
}

fn unavailable() -> Response {
    let mut answer = text_response(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE);
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(TRY_AGAIN_SECONDS));
    answer
}

fn text_response(status: StatusCode, sentence: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, sentence).into_response()
}

/// The link's token. Its characters are never escaped in a query.
fn token(query: &str) -> Option<String> {
    let token = query.split('&').find_map(|pair| pair.strip_prefix("t="))?;
    let plain = token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let good = plain && (1..=TOKEN_CHARS_MAX).contains(&token.len());
    good.then(|| token.to_owned())
}

/// Whether a body has the one-click field, as a form or as multipart.
fn is_one_click(body: &[u8]) -> bool {
    let Ok(body) = std::str::from_utf8(body) else { return false };
    let in_form = body.trim().split('&').any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or_default();
        name.eq_ignore_ascii_case(FIELD) && value.eq_ignore_ascii_case(ONE_CLICK)
    });
    let in_part = || {
        let (head, value) = body.split_once("\r\n\r\n").unwrap_or_default();
        let value = value.lines().next().unwrap_or_default();
        let named = format!("name=\"{FIELD}\"").to_ascii_lowercase();
        head.to_ascii_lowercase().contains(&named) && value.eq_ignore_ascii_case(ONE_CLICK)
    };
    in_form || in_part()
}

#[cfg(test)]
mod tests {
    use super::{is_one_click, token};

    #[test]
    fn only_a_well_formed_token_is_found() {
        let secret = "aZ-_09".repeat(7);
        assert_eq!(token(&format!("t={secret}")), Some(secret.clone()));
        assert_eq!(token(&format!("utm=x&t={secret}&y")), Some(secret));
        for wrong in ["", "t", "t=", "token=abc", "t=a%20b", "t=a/b", &format!("t={:065}", 0)] {
            assert_eq!(token(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_click_is_accepted_as_form_or_multipart() {
        assert!(is_one_click(b"List-Unsubscribe=One-Click"));
        assert!(is_one_click(b"a=b&list-unsubscribe=one-click\r\n"));
        let parts = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
                     One-Click\r\n--x--\r\n";
        assert!(is_one_click(parts.as_bytes()));
        for wrong in ["", "One-Click", "List-Unsubscribe=", "List-Unsubscribe=mailto:x"] {
            assert!(!is_one_click(wrong.as_bytes()), "{wrong}");
        }
        assert!(!is_one_click(&[0xff, 0xfe]));
    }
}
