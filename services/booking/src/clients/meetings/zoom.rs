//! Zoom, by a server-to-server app of the practice's own account (`account_credentials`).
//!
//! Zoom knows no idempotency key, so each meeting carries a mark in its agenda, a keyed hash of the
//! booking, by which a repeat finds what was made. Zoom gets the time, a generic title and the
//! mark.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::{Url, form_urlencoded};

use self::answers::{no_response, read, refused};
use super::error::MeetingError;
use super::room::{RoomRequest, is_usable};
use crate::domain::span::Span;

mod answers;

/// The timeout of a request; what a room takes at most, four of them, has to end within a timer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(4);
/// How long before its end a token is no longer used.
const TOKEN_SPARE: Duration = Duration::from_secs(60);
/// How many meetings a page of a list has; Zoom gives no more.
const PAGE: &str = "300";
/// How a token is asked for; in the address the same is refused.
const FORM: &str = "application/x-www-form-urlencoded";
/// How many pages of a list are read.
const PAGES_MAX: usize = 20;

/// Where Zoom answers, and the app's credentials.
#[derive(Debug, Clone)]
pub struct ZoomSettings {
    /// The API; `BOOKING_MEETING_ZOOM_URL`, usually `https://api.zoom.us/v2`.
    pub url: String,
    /// Who gives tokens; `BOOKING_MEETING_ZOOM_TOKEN_URL`, usually `https://zoom.us/oauth/token`.
    pub token_url: String,
    /// The account's id; `BOOKING_MEETING_ZOOM_ACCOUNT`.
    pub account: String,
    /// The app's client id; `BOOKING_MEETING_ZOOM_CLIENT`.
    pub client: String,
    /// The app's client secret; `BOOKING_MEETING_ZOOM_SECRET`.
    pub secret: SecretString,
}

/// The practice's account.
#[derive(Debug, Clone)]
pub struct Zoom(Arc<Account>);

#[derive(Debug)]
struct Account {
    http: reqwest::Client,
    settings: ZoomSettings,
    /// Zoom takes earlier tokens back when too many are asked for, so there is one at a time.
    token: Mutex<Option<Token>>,
}

#[derive(Debug, Clone)]
struct Token {
    value: SecretString,
    ends_at: Instant,
}

/// A meeting at Zoom.
#[derive(Clone)]
pub struct ZoomMeeting {
    /// Its number.
    pub number: String,
    /// The link to it, which has the passcode.
    pub join_url: String,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: u64,
}

#[derive(Deserialize)]
struct Meeting {
    id: i64,
    #[serde(default)]
    agenda: String,
    #[serde(default)]
    join_url: String,
}

#[derive(Deserialize)]
struct MeetingList {
    meetings: Vec<Meeting>,
    #[serde(default)]
    next_page_token: String,
}

#[derive(Serialize)]
struct NewMeeting<'a> {
    topic: &'a str,
    /// 2: a scheduled meeting. 3: one without a fixed time, for the sessions of a package, because
    /// Zoom ends a scheduled one thirty days after its time.
    #[serde(rename = "type")]
    kind: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<i64>,
    timezone: &'a str,
    agenda: &'a str,
    settings: serde_json::Value,
}

impl Zoom {
    /// A client for an account.
    pub fn new(settings: ZoomSettings) -> Result<Self, reqwest::Error> {
        let (http, token) = (runtime::http::client()?, Mutex::new(None));
        Ok(Self(Arc::new(Account { http, settings, token })))
    }

    /// Makes a meeting of a user with a mark. The caller has written down that it is asked for.
    ///
    /// # Errors
    /// Why it was not made.
    pub async fn create(
        &self,
        user: &str,
        request: &RoomRequest,
        mark: &str,
    ) -> Result<ZoomMeeting, MeetingError> {
        let session = request.session;
        let is_single = !request.is_package;
        let new = NewMeeting {
            topic: &request.title,
            kind: if is_single { 2 } else { 3 },
            start_time: is_single.then(|| session.starts_at().to_string()),
            duration: is_single.then_some(session.minutes()),
            timezone: &request.time_zone,
            agenda: mark,
            settings: json!({
                "waiting_room": true, "join_before_host": false, "use_pmi": false,
                "approval_type": 2, "meeting_authentication": false, "auto_recording": "none",
            }),
        };
        failpoint::pass(&"meeting.before");
        let url = self.url(&["users", user, "meetings"])?;
        let made = self.ask(|| self.0.http.post(url.clone()).json(&new)).await;
        failpoint::pass(&"meeting.after");
        usable(read(made?).await?)
    }

    /// The meeting of a user that carries a mark.
    ///
    /// # Errors
    /// Why Zoom does not say.
    pub async fn find(&self, user: &str, mark: &str) -> Result<Option<ZoomMeeting>, MeetingError> {
        let mut page_token = String::new();
        for _page in 0..PAGES_MAX {
            let mut url = self.url(&["users", user, "meetings"])?;
            url.query_pairs_mut().append_pair("type", "scheduled").append_pair("page_size", PAGE);
            if !page_token.is_empty() {
                url.query_pairs_mut().append_pair("next_page_token", &page_token);
            }
            let listed: MeetingList =
                read(self.ask(|| self.0.http.get(url.clone())).await?).await?;
            if let Some(found) = listed.meetings.into_iter().find(|it| it.agenda == mark) {
                // The link of a list has no passcode with every account.
                return self.meeting(&found.id.to_string()).await;
            }
            page_token = listed.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    async fn meeting(&self, number: &str) -> Result<Option<ZoomMeeting>, MeetingError> {
        let url = self.url(&["meetings", number])?;
        match self.ask(|| self.0.http.get(url.clone())).await {
            Ok(answer) => usable(read(answer).await?).map(Some),
            Err(MeetingError::Zoom(refusal)) if refusal.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives a meeting another time; false for one that is not there any more.
    ///
    /// # Errors
    /// Why it still has its old time.
    pub async fn relocate(&self, number: &str, session: Span) -> Result<bool, MeetingError> {
        let url = self.url(&["meetings", number])?;
        let start_time = session.starts_at().to_string();
        let change = json!({ "start_time": start_time, "duration": session.minutes() });
        match self.ask(|| self.0.http.patch(url.clone()).json(&change)).await {
            Ok(_moved) => Ok(true),
            Err(MeetingError::Zoom(refusal)) if refusal.is_missing() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a meeting; one that is not there any more is deleted.
    ///
    /// # Errors
    /// Why it is still there.
    pub async fn delete(&self, number: &str) -> Result<(), MeetingError> {
        let url = self.url(&["meetings", number])?;
        match self.ask(|| self.0.http.request(Method::DELETE, url.clone())).await {
            Ok(_gone) => Ok(()),
            Err(MeetingError::Zoom(refusal)) if refusal.is_missing() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn url(&self, path: &[&str]) -> Result<Url, MeetingError> {
        let mut url =
            Url::parse(&self.0.settings.url).map_err(|_malformed| MeetingError::InvalidResponse)?;
        let mut segments = url.path_segments_mut().map_err(|()| MeetingError::InvalidResponse)?;
        segments.pop_if_empty().extend(path);
        drop(segments);
        Ok(url)
    }

    /// Asks with a token, and once more with a new one where that has ended before its time.
    async fn ask(&self, request: impl Fn() -> RequestBuilder) -> Result<Response, MeetingError> {
        let token = self.token(None).await?;
        let answer = send(request().bearer_auth(token.expose_secret())).await?;
        let answer = if answer.status() == StatusCode::UNAUTHORIZED {
            let token = self.token(Some(&token)).await?;
            send(request().bearer_auth(token.expose_secret())).await?
        } else {
            answer
        };
        if answer.status().is_success() { Ok(answer) } else { Err(refused(answer).await) }
    }

    /// A token that holds, and is not the one that was refused.
    async fn token(&self, refused: Option<&SecretString>) -> Result<SecretString, MeetingError> {
        let mut kept = self.0.token.lock().await;
        let is_other = |it: &Token| {
            refused.is_none_or(|refused| refused.expose_secret() != it.value.expose_secret())
        };
        let good = kept.as_ref().filter(|it| is_other(it) && Instant::now() < it.ends_at);
        if let Some(token) = good {
            return Ok(token.value.clone());
        }
        *kept = None;
        let settings = &self.0.settings;
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "account_credentials")
            .append_pair("account_id", &settings.account)
            .finish();
        let request = self.0.http.post(&settings.token_url).header(CONTENT_TYPE, FORM).body(form);
        let secret = settings.secret.expose_secret();
        let answer = send(request.basic_auth(&settings.client, Some(secret))).await?;
        if !answer.status().is_success() {
            return Err(MeetingError::Credentials(answer.status()));
        }
        let given: TokenAnswer = read(answer).await?;
        let lasts = Duration::from_secs(given.expires_in).saturating_sub(TOKEN_SPARE);
        let value = SecretString::from(given.access_token);
        *kept = Some(Token { value: value.clone(), ends_at: Instant::now() + lasts });
        Ok(value)
    }
}

async fn send(request: RequestBuilder) -> Result<Response, MeetingError> {
    request.timeout(ANSWER_TIMEOUT).send().await.map_err(no_response)
}

fn usable(meeting: Meeting) -> Result<ZoomMeeting, MeetingError> {
    let is_good = meeting.id > 0 && is_usable(&meeting.join_url);
    let number = meeting.id.to_string();
    is_good
        .then_some(ZoomMeeting { number, join_url: meeting.join_url })
        .ok_or(MeetingError::InvalidResponse)
}
