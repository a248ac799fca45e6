//! Fetches practitioners' own calendars: the file at an address, or the calendars of an account by
//! CalDAV.
//!
//! The addresses come from the practice and lead anywhere, so each request is bounded: https only,
//! to public addresses of the internet only, without redirects, 1 MB, 10 s.

mod caldav;
mod guard;
mod multistatus;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kernel::Timestamp;
use practice::{CalendarKind, Practice};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, ETAG, IF_NONE_MATCH};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use self::guard::PublicAddresses;
use super::busy_calendar::Unreadable;
use crate::domain::span::Span;

/// How long one request may take, with its whole response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long all requests for one calendar may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest response.
const RESPONSE_BYTES_MAX: usize = 1_000_000;
/// The longest name of a content that is kept.
const ETAG_BYTES_MAX: usize = 200;

/// The secrets of calendars, by their ids: addresses and passwords.
pub type CalendarSecrets = BTreeMap<String, SecretString>;

/// Why a calendar cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CalendarError {
    /// There is no secret for it.
    #[error("the calendar has no secret in BOOKING_CALENDAR_SECRETS")]
    NoSecret,
    /// Its address is no https address.
    #[error("the calendar's address is not one that begins with https")]
    NotHttps,
    /// Its address leads into a private network, or to this machine.
    #[error("the calendar's address is not on the public internet")]
    NotPublic,
    /// The server did not answer.
    #[error("the calendar's server did not answer")]
    NoAnswer(#[source] reqwest::Error),
    /// The server did not answer in time.
    #[error("the calendar's server did not answer in time")]
    TooSlow,
    /// The server sends to another address.
    #[error("the calendar's server sends to another address")]
    Redirected,
    /// The server names a calendar on another host, which does not get the password.
    #[error("the account's calendars are on another host than its address")]
    OtherHost,
    /// The server wants another name or password.
    #[error("the calendar's server refuses the name, the password or the address")]
    Refused,
    /// The server has nothing there.
    #[error("the calendar's server has no calendar at the address")]
    NoCalendar,
    /// The server answered with an error.
    #[error("the calendar's server answered {0}")]
    Failed(StatusCode),
    /// The response is longer than is read.
    #[error("the calendar is larger than a megabyte")]
    TooLarge,
    /// The response is not what CalDAV says.
    #[error("the calendar's server does not speak CalDAV")]
    NotCaldav,
    /// The content is no calendar that can be used.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl CalendarError {
    /// The reason as a word, for lists and logs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::NoSecret => "no_secret",
            Self::NotHttps => "not_https",
            Self::NotPublic => "not_public",
            Self::NoAnswer(_) => "no_answer",
            Self::TooSlow => "too_slow",
            Self::Redirected => "redirected",
            Self::OtherHost => "other_host",
            Self::Refused => "refused",
            Self::NoCalendar => "no_calendar",
            Self::Failed(_) => "server_error",
            Self::TooLarge => "too_large",
            Self::NotCaldav => "not_caldav",
            Self::Unreadable(Unreadable::NotACalendar) => "not_a_calendar",
            Self::Unreadable(Unreadable::Incomplete) => "incomplete",
            Self::Unreadable(Unreadable::TooManyEvents) => "too_many_events",
            Self::Unreadable(Unreadable::TooManyTimes) => "too_many_times",
        }
    }
}

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// Calendar files, and the server's name for them.
    Files(Vec<String>, Option<String>),
    /// It is as it was.
    Unchanged,
}

/// A calendar of a practitioner.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its id.
    pub calendar_id: String,
    /// Whose times it closes.
    pub practitioner_id: String,
    /// How it is read.
    pub kind: CalendarKind,
    url: String,
    username: String,
    secret: Option<SecretString>,
}

/// The calendars of a practice.
#[derive(Debug, Clone)]
pub struct Calendars {
    sources: Vec<Arc<Source>>,
    http: reqwest::Client,
    /// The one origin of a trial that may be on this machine and without TLS.
    sandbox: Option<(url::Origin, reqwest::Client)>,
}

impl Calendars {
    /// The calendars of a practice, with their secrets. `sandbox` is an origin on this machine from
    /// which calendars may be read, too.
    ///
    /// # Errors
    /// When the HTTP client cannot be built.
    pub fn new(
        practice: &Practice,
        secrets: &CalendarSecrets,
        sandbox: Option<&Url>,
    ) -> Result<Self, reqwest::Error> {
        let source = |calendar: &practice::BusyCalendar| {
            Arc::new(Source {
                calendar_id: calendar.calendar_id.clone(),
                practitioner_id: calendar.practitioner_id.clone(),
                kind: calendar.kind,
                url: calendar.url.clone(),
                username: calendar.username.clone(),
                secret: secrets.get(&calendar.calendar_id).cloned(),
            })
        };
        runtime::http::install_crypto();
        let client = || {
            reqwest::Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(REQUEST_TIMEOUT)
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
        let sources = practice.calendars.iter().map(source).collect();
        Ok(Self { sources, http: guarded.build()?, sandbox })
    }

    /// All calendars.
    #[must_use]
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.sources
    }

    /// The calendar with this id.
    #[must_use]
    pub fn get(&self, calendar_id: &str) -> Option<&Arc<Source>> {
        self.sources.iter().find(|source| source.calendar_id == calendar_id)
    }

    /// Fetches a calendar. `etag` is the server's name for the content that is known already.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn fetch(
        &self,
        source: &Source,
        window: Span,
        etag: Option<&str>,
    ) -> Result<Fetched, CalendarError> {
        let fetching = async {
            match source.kind {
                CalendarKind::Address => self.fetch_file(source, etag).await,
                CalendarKind::Caldav => {
                    Ok(Fetched::Files(caldav::fetch(self, source, window).await?, None))
                }
            }
        };
        match tokio::time::timeout(FETCH_TIMEOUT, fetching).await {
            Ok(fetched) => fetched,
            Err(_elapsed) => Err(CalendarError::TooSlow),
        }
    }

    async fn fetch_file(
        &self,
        source: &Source,
        etag: Option<&str>,
    ) -> Result<Fetched, CalendarError> {
        let secret = source.secret.as_ref().ok_or(CalendarError::NoSecret)?;
        // Calendar programs give the address a scheme of its own.
        let address = secret.expose_secret().trim();
        let address = match address.strip_prefix("webcal://") {
            Some(rest) => format!("https://{rest}"),
            None => address.to_owned(),
        };
        let url = Url::parse(&address).map_err(|_malformed| CalendarError::NotHttps)?;
        let mut request =
            self.request(Method::GET, url)?.header(ACCEPT, "text/calendar, */*;q=0.1");
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let answer = send(request).await?;
        if answer.status() == StatusCode::NOT_MODIFIED && etag.is_some() {
            return Ok(Fetched::Unchanged);
        }
        check_status(&answer)?;
        let named = answer.headers().get(ETAG).and_then(|value| value.to_str().ok());
        let named = named.filter(|name| name.len() <= ETAG_BYTES_MAX).map(str::to_owned);
        Ok(Fetched::Files(vec![body(answer).await?], named))
    }

    /// A request to an address that may be asked.
    fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, CalendarError> {
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

async fn send(request: RequestBuilder) -> Result<Response, CalendarError> {
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

fn check_status(answer: &Response) -> Result<(), CalendarError> {
    match answer.status() {
        status if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(CalendarError::Refused),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(CalendarError::NoCalendar),
        status => Err(CalendarError::Failed(status)),
    }
}

/// A response's text, up to the largest size.
async fn body(mut answer: Response) -> Result<String, CalendarError> {
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

/// An instant as CalDAV writes it.
fn utc(instant: Timestamp) -> String {
    instant.jiff().strftime("%Y%m%dT%H%M%SZ").to_string()
}
