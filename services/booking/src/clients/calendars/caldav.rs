//! Reads the calendars of an account by CalDAV (RFC 4791): finds them from the account's address,
//! and asks each for the events of a window.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::error::CalendarError;
use super::multistatus::{self, Resource};
use super::requests::{Requests, body, check_status, send, utc};
use super::source::Source;
use crate::clients::busy_calendar::Unreadable;
use crate::domain::span::Span;

/// The most calendars of an account.
const CALENDARS_MAX: usize = 20;
/// The most bytes of all calendars of an account.
const BYTES_MAX: usize = 16_000_000;

/// Asks what is at an address and where an account's calendars are.
const FIND: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop>
<d:resourcetype/><d:current-user-principal/><c:calendar-home-set/>
<c:supported-calendar-component-set/><c:schedule-calendar-transp/>
</d:prop></d:propfind>"#;

/// An account as it is asked.
struct Account<'a> {
    requests: &'a Requests,
    username: &'a str,
    password: &'a SecretString,
    /// The address that the practice gave.
    base: Url,
}

/// The calendar files of an account's events within a window.
///
/// # Errors
/// Why they cannot be read.
pub(super) async fn fetch(
    requests: &Requests,
    source: &Source,
    window: Span,
) -> Result<Vec<String>, CalendarError> {
    let password = source.secret.as_ref().ok_or(CalendarError::NoSecret)?;
    let base = Url::parse(&source.url).map_err(|_malformed| CalendarError::NotHttps)?;
    let account = Account { requests, username: &source.username, password, base };
    let mut files = Vec::new();
    let mut bytes = 0_usize;
    for url in account.calendars().await? {
        for resource in account.events(url, window).await? {
            // It may be a busy time, and so may be what a 507 leaves out (RFC 6578, 3.6).
            if resource.is_withheld {
                return Err(Unreadable::Incomplete.into());
            }
            bytes = bytes.saturating_add(resource.calendar_data.len());
            if bytes > BYTES_MAX {
                return Err(CalendarError::TooLarge);
            }
            if !resource.calendar_data.trim().is_empty() {
                files.push(resource.calendar_data);
            }
        }
    }
    Ok(files)
}

impl Account<'_> {
    /// The addresses of the account's calendars that close times.
    async fn calendars(&self) -> Result<Vec<Url>, CalendarError> {
        let own = self.find(self.base.clone(), "0").await?;
        if own.iter().any(|it| it.is_calendar) {
            return Ok(vec![self.base.clone()]);
        }
        let home = match first(&own, |it| &it.home) {
            Some(home) => Some(home),
            None => match first(&own, |it| &it.principal) {
                Some(principal) => {
                    let found = self.find(self.join(&principal)?, "0").await?;
                    first(&found, |it| &it.home)
                }
                None => None,
            },
        };
        let home = match home {
            Some(home) => self.join(&home)?,
            None => self.base.clone(),
        };
        let mut urls = Vec::new();
        for resource in self.find(home, "1").await? {
            let has_events = resource.components.is_empty()
                || resource.components.iter().any(|it| it.eq_ignore_ascii_case("VEVENT"));
            if resource.is_calendar && has_events && !resource.is_transparent {
                urls.push(self.join(&resource.href)?);
            }
        }
        if urls.is_empty() || urls.len() > CALENDARS_MAX {
            return Err(CalendarError::NoCalendar);
        }
        Ok(urls)
    }

    async fn find(&self, url: Url, depth: &str) -> Result<Vec<Resource>, CalendarError> {
        self.ask("PROPFIND", url, (depth, FIND.to_owned())).await
    }

    async fn events(&self, url: Url, window: Span) -> Result<Vec<Resource>, CalendarError> {
        let (from, to) = (utc(window.starts_at()), utc(window.ends_at()));
        let query = format!(
            r#"<?xml version="1.0" encoding="utf-8"?>
<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop>
<c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR">
<c:comp-filter name="VEVENT"><c:time-range start="{from}" end="{to}"/></c:comp-filter>
</c:comp-filter></c:filter></c:calendar-query>"#
        );
        self.ask("REPORT", url, ("1", query)).await
    }

    /// Asks with the account's password.
    async fn ask(
        &self,
        method: &str,
        url: Url,
        (depth, body_text): (&str, String),
    ) -> Result<Vec<Resource>, CalendarError> {
        if !may_have_password(&self.base, &url) {
            return Err(CalendarError::OtherHost);
        }
        let method =
            Method::from_bytes(method.as_bytes()).map_err(|_never| CalendarError::NotCaldav)?;
        let request = self
            .requests
            .request(method, url)?
            .basic_auth(self.username, Some(self.password.expose_secret()))
            .header("depth", depth)
            .header(CONTENT_TYPE, "application/xml; charset=utf-8")
            .body(body_text);
        let answer = send(request).await?;
        check_status(&answer)?;
        if answer.status() != StatusCode::MULTI_STATUS {
            return Err(CalendarError::NotCaldav);
        }
        multistatus::read(&body(answer).await?).map_err(|_other| CalendarError::NotCaldav)
    }

    /// An address that the server names.
    fn join(&self, href: &str) -> Result<Url, CalendarError> {
        self.base.join(href).map_err(|_malformed| CalendarError::NotCaldav)
    }
}

fn first(found: &[Resource], part: impl Fn(&Resource) -> &String) -> Option<String> {
    let texts = found.iter().map(|it| part(it).trim());
    texts.filter(|text| !text.is_empty()).map(str::to_owned).next()
}

/// Whether the password of the account at `base` may go to an address: only to the same scheme,
/// host and port. A host of the same domain may belong to another customer of the provider.
fn may_have_password(base: &Url, url: &Url) -> bool {
    let parts = |it: &Url| {
        let host = it.host_str()?.to_owned();
        Some((it.scheme().to_owned(), host, it.port_or_known_default()?))
    };
    parts(url).is_some_and(|asked| parts(base) == Some(asked))
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::may_have_password;

    #[test]
    fn a_password_goes_to_the_address_of_the_account_only() {
        let base = Url::parse("https://dav.example.org/account/").unwrap();
        for same in [
            "/ravi/",
            "home/",
            "?calendar=1",
            "//dav.example.org/ravi/",
            "https://dav.example.org/",
            "https://DAV.example.org:443/ravi/",
        ] {
            assert!(may_have_password(&base, &base.join(same).unwrap()), "{same}");
        }
        for other in [
            "https://p42-dav.example.org/",
            "https://other.example.org/",
            "https://example.org/",
            "https://a.dav.example.org/",
            "https://dav.example.org./",
            "https://dav.example.org.evil.example/",
            "https://dav.example.org@evil.example/",
            "https://dav.example.org:8443/",
            "http://dav.example.org/",
            "http://dav.example.org:443/",
            "//evil.example/",
            "https://93.184.215.14/",
            "data:text/xml,dav.example.org",
            "file:///ravi/",
        ] {
            assert!(!may_have_password(&base, &base.join(other).unwrap()), "{other}");
        }
    }
}
