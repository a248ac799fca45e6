//! Fetches practitioners' own calendars: the file at an address, or the calendars of an account by
//! CalDAV.
//!
//! The addresses come from the practice and lead anywhere, so each request is bounded: https only,
//! to public addresses of the internet only, without redirects, 15 s, and with a limit of bytes.

mod caldav;
mod error;
mod guard;
mod multistatus;
mod requests;
mod source;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use practice::{CalendarKind, Practice};
use reqwest::header::{ACCEPT, ETAG, IF_NONE_MATCH};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

pub use self::error::CalendarError;
use self::requests::{Requests, check_status, file, send};
pub use self::source::Source;
use crate::clients::busy_calendar::Sieve;
use crate::domain::span::Span;

/// How long all requests for one calendar may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(15);
/// The longest name of a content that is kept.
const ETAG_BYTES_MAX: usize = 200;

/// The secrets of calendars, by their ids: addresses and passwords.
pub type CalendarSecrets = BTreeMap<String, SecretString>;

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// Calendar files, and the server's name for them.
    Files(Vec<String>, Option<String>),
    /// It is as it was.
    Unchanged,
}

/// The calendars of a practice.
#[derive(Debug, Clone)]
pub struct Calendars {
    sources: Vec<Arc<Source>>,
    requests: Requests,
}

impl Calendars {
    /// The calendars of a practice, with their secrets. `sandbox` is an origin on this machine from
    /// which calendars may be read, too.
    pub fn new(
        practice: &Practice,
        secrets: &CalendarSecrets,
        sandbox: Option<&Url>,
    ) -> Result<Self, reqwest::Error> {
        let source = |calendar: &practice::BusyCalendar| {
            let secret = secrets.get(&calendar.calendar_id).cloned();
            Arc::new(Source {
                invited_as: source::invited_as(calendar, secret.as_ref()),
                calendar_id: calendar.calendar_id.clone(),
                practitioner_id: calendar.practitioner_id.clone(),
                kind: calendar.kind,
                url: calendar.url.clone(),
                username: calendar.username.clone(),
                secret,
            })
        };
        let sources = practice.calendars.iter().map(source).collect();
        Ok(Self { sources, requests: Requests::new(sandbox)? })
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
                CalendarKind::Address => {
                    self.fetch_file(source, Sieve::new(window.starts_at()), etag).await
                }
                CalendarKind::Caldav => {
                    Ok(Fetched::Files(caldav::fetch(&self.requests, source, window).await?, None))
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
        sieve: Sieve,
        etag: Option<&str>,
    ) -> Result<Fetched, CalendarError> {
        let secret = source.secret.as_ref().ok_or(CalendarError::NoSecret)?;
        let address = web_address(secret.expose_secret());
        let url = Url::parse(&address).map_err(|_malformed| CalendarError::NotHttps)?;
        let mut request =
            self.requests.request(Method::GET, url)?.header(ACCEPT, "text/calendar, */*;q=0.1");
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
        Ok(Fetched::Files(vec![file(answer, sieve).await?], named))
    }
}

/// The address as a server is asked: calendar programs give it a scheme of their own.
fn web_address(address: &str) -> String {
    let address = address.trim();
    match address.split_once("://") {
        Some((scheme, rest)) if is_of_calendars(scheme) => format!("https://{rest}"),
        _ => address.to_owned(),
    }
}

fn is_of_calendars(scheme: &str) -> bool {
    ["webcal", "webcals"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}
