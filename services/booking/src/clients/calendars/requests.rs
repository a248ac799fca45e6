//! Bounded requests to the addresses of calendars.

use std::sync::Arc;
use std::time::Duration;

use kernel::Timestamp;
use reqwest::header::ACCEPT_ENCODING;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use url::Url;

use super::error::CalendarError;
use super::guard::{self, PublicAddresses};
use crate::clients::busy_calendar::Sieve;

/// How long a server may send nothing; all requests for a calendar together have a limit, too.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest response of an account.
const RESPONSE_BYTES_MAX: usize = 8_000_000;
/// The most that is read of a file, of which only a part is kept.
const FILE_BYTES_MAX: usize = 100_000_000;

/// Makes requests to addresses that may be asked.
#[derive(Debug, Clone)]
pub(super) struct Requests {
    http: reqwest::Client,
    /// The one origin of a trial that may be on this machine and without TLS.
    sandbox: Option<(url::Origin, reqwest::Client)>,
}

impl Requests {
    /// `sandbox` is an origin on this machine that may be asked, too.
    pub(super) fn new(sandbox: Option<&Url>) -> Result<Self, reqwest::Error> {
        runtime::http::install_crypto();
        let client = || {
            reqwest::Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .read_timeout(SILENCE_MAX)
                .redirect(reqwest::redirect::Policy::none())
                .user_agent("sukoon")
                // A proxy would resolve names itself, past the check of addresses.
                .no_proxy()
        };
        let guarded = client().https_only(true).dns_resolver(Arc::new(PublicAddresses));
        let sandbox = match sandbox {
            Some(url) => Some((url.origin(), client().build()?)),
            None => None,
        };
        Ok(Self { http: guarded.build()?, sandbox })
    }

    /// A request to an address that may be asked.
    ///
    /// # Errors
    /// `NotHttps` or `NotPublic`.
    pub(super) fn request(
        &self,
        method: Method,
        url: Url,
    ) -> Result<RequestBuilder, CalendarError> {
        let client = match &self.sandbox {
            Some((origin, client)) if *origin == url.origin() => client,
            _ if url.scheme() != "https" => return Err(CalendarError::NotHttps),
            // The resolver never sees addresses that are written as numbers.
            _ if !guard::may_be_asked(&url) => return Err(CalendarError::NotPublic),
            _ => &self.http,
        };
        Ok(client.request(method, url).header(ACCEPT_ENCODING, "identity"))
    }
}

pub(super) async fn send(request: RequestBuilder) -> Result<Response, CalendarError> {
    let answer = request.send().await.map_err(failed)?;
    if answer.status().is_redirection() && answer.status() != StatusCode::NOT_MODIFIED {
        return Err(CalendarError::Redirected);
    }
    Ok(answer)
}

/// The error of a request, without its address, which may be a secret.
fn failed(error: reqwest::Error) -> CalendarError {
    if guard::is_refusal(&error) {
        CalendarError::NotPublic
    } else if error.is_timeout() {
        CalendarError::TooSlow
    } else {
        CalendarError::NoAnswer(error.without_url())
    }
}

pub(super) fn check_status(answer: &Response) -> Result<(), CalendarError> {
    match answer.status() {
        status if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(CalendarError::Refused),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(CalendarError::NoCalendar),
        status => Err(CalendarError::Failed(status)),
    }
}

/// A response's text, up to the largest size.
pub(super) async fn body(mut answer: Response) -> Result<String, CalendarError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err(CalendarError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    // Only times are read, and those are ASCII in every encoding that programs use.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is not over of a calendar file.
pub(super) async fn file(mut answer: Response, mut sieve: Sieve) -> Result<String, CalendarError> {
    let mut bytes = 0_usize;
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        bytes = bytes.saturating_add(chunk.len());
        if bytes > FILE_BYTES_MAX {
            return Err(CalendarError::TooLarge);
        }
        sieve.take(&chunk).map_err(|_too_large| CalendarError::TooLarge)?;
    }
    sieve.finish().map_err(|_too_large| CalendarError::TooLarge)
}

/// An instant as CalDAV writes it.
pub(super) fn utc(instant: Timestamp) -> String {
    instant.jiff().strftime("%Y%m%dT%H%M%SZ").to_string()
}
