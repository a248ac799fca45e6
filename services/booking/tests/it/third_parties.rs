//! The adapters of calendars and of the scheduling provider against the sandbox, with its faults.

use std::path::PathBuf;

use booking::clients::calendars::{CalendarSecrets, Calendars, Fetched};
use booking::clients::scheduling::{
    CalendarBooking, CalendarBookingRequest, Provider, SchedulingError,
};
use booking::domain::span::Span;
use eventstore::{new_id, new_uuid};
use kernel::Timestamp;
use practice::{BusyCalendar, CalendarKind};
use sandbox::{Sandbox, Settings};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::world::practice_of_two;

/// The token of the sandbox for tests.
const TOKEN: &str = "demo-meeting-token";

/// A sandbox with a folder of its own.
pub(crate) struct ThirdParties {
    pub(crate) url: String,
    http: reqwest::Client,
    folder: PathBuf,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Drop for ThirdParties {
    fn drop(&mut self) {
        self.task.abort();
        // What is left of a failed test is of no use.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl ThirdParties {
    pub(crate) async fn start() -> Self {
        runtime::http::install_crypto();
        let folder = std::env::temp_dir().join(format!("booking-{}", new_uuid().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        let sandbox = Sandbox::bind(Settings::for_tests(&folder, None)).await.unwrap();
        let url = sandbox.url().to_owned();
        let task = tokio::spawn(sandbox.serve());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { url, http, folder, task }
    }

    /// A control of the sandbox.
    async fn control(&self, path: &str, given: &Value) {
        let request = self.http.post(format!("{}{path}", self.url)).json(given);
        request.send().await.unwrap().error_for_status().unwrap();
    }

    /// What a control of the sandbox answers.
    pub(crate) async fn answered(&self, path: &str, given: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.url)).json(given);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        answer.json().await.unwrap()
    }

    /// What the sandbox has at a path.
    pub(crate) async fn got(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.unwrap();
        answer.error_for_status().unwrap().json().await.unwrap()
    }

    /// Deletes what the sandbox has at a path.
    pub(crate) async fn deleted(&self, path: &str) {
        let request = self.http.delete(format!("{}{path}", self.url));
        request.send().await.unwrap().error_for_status().unwrap();
    }

    /// A fault of the next request of a kind.
    pub(crate) async fn fault_of(&self, target: &str, mut fault: Value) {
        if let Some(fields) = fault.as_object_mut() {
            fields.insert("target".to_owned(), target.into());
        }
        self.fault(fault).await;
    }

    pub(crate) async fn fault(&self, fault: Value) {
        self.control("/api/faults", &fault).await;
    }

    /// How many ordered faults were not applied yet.
    pub(crate) async fn faults_left(&self) -> usize {
        let listed = self.http.get(format!("{}/api/faults", self.url)).send().await.unwrap();
        listed.json::<Vec<Value>>().await.unwrap().len()
    }

    /// The scheduling provider takes times by the clock of the tests, which is not the machine's.
    pub(crate) async fn take_past_starts(&self) {
        self.control("/api/switches", &json!({ "past_starts": true })).await;
    }

    pub(crate) fn provider(&self) -> Provider {
        let url = format!("{}/scheduling", self.url);
        Provider::new(&url, &format!("{url}/users/OWNER"), TOKEN.to_owned().into()).unwrap()
    }

    /// The provider's events with this status.
    pub(crate) async fn events(&self, status: &str) -> Vec<Value> {
        let user = format!("{}/scheduling/users/OWNER", self.url);
        let url = format!("{}/scheduling/scheduled_events", self.url);
        self.listed(&url, &[("user", user.as_str()), ("status", status)]).await
    }

    /// The client of an event.
    pub(crate) async fn invitee(&self, event: &Value) -> Value {
        let url = format!("{}/invitees", event["uri"].as_str().unwrap());
        self.listed(&url, &[]).await.remove(0)
    }

    async fn listed(&self, url: &str, asked: &[(&str, &str)]) -> Vec<Value> {
        let url = reqwest::Url::parse_with_params(url, asked).unwrap();
        let answer = self.http.get(url).bearer_auth(TOKEN).send().await.unwrap();
        let listed: Value = answer.error_for_status().unwrap().json().await.unwrap();
        listed.get("collection").and_then(Value::as_array).unwrap().clone()
    }

    /// A visitor schedules an event in the provider's widget. The payload of its message: the
    /// addresses of the event and of its invitee.
    pub(crate) async fn schedules(&self, start_time: &str, tracking: Value) -> (String, String) {
        let url = format!("{}/scheduling/widget/session/events", self.url);
        let chosen = json!({
            "start_time": start_time, "name": "Asha Rao", "email": "asha@example.org",
            "tracking": tracking,
        });
        let answer = self.http.post(url).json(&chosen).send().await.unwrap();
        let answer: Value = answer.error_for_status().unwrap().json().await.unwrap();
        let uri = |of: &str| {
            let uri = answer.pointer(&format!("/message/payload/{of}/uri"));
            uri.and_then(Value::as_str).unwrap().to_owned()
        };
        (uri("event"), uri("invitee"))
    }

    /// The address of a calendar.
    pub(crate) fn calendar_address(&self) -> String {
        format!("{}/calendars/own.ics", self.url)
    }

    /// Its calendar has these events, each of a start and an end in UTC.
    pub(crate) async fn serves(&self, events: &[(&str, &str)]) {
        self.put_calendar(calendar(events)).await;
    }

    /// Puts the file that the calendar's address serves from then on.
    pub(crate) async fn put_calendar(&self, file: String) {
        let request = self.http.put(self.calendar_address()).body(file);
        request.send().await.unwrap().error_for_status().unwrap();
    }

    fn calendars(&self) -> Calendars {
        let mut practice = practice_of_two();
        practice.calendars.push(BusyCalendar {
            calendar_id: "own".to_owned(),
            practitioner_id: "lead".to_owned(),
            kind: CalendarKind::Address,
            url: String::new(),
            username: String::new(),
            invited_as: Vec::new(),
        });
        let secrets = CalendarSecrets::from([("own".to_owned(), self.calendar_address().into())]);
        Calendars::new(&practice, &secrets, Some(&self.url.parse().unwrap())).unwrap()
    }
}

/// A calendar file.
pub(crate) fn calendar(events: &[(&str, &str)]) -> String {
    let mut text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n".to_owned();
    for (number, (from, to)) in events.iter().enumerate() {
        text.push_str(&format!(
            "BEGIN:VEVENT\r\nUID:{number}@test\r\nSUMMARY:Canary\r\nDTSTART:{from}\r\n\
             DTEND:{to}\r\nEND:VEVENT\r\n"
        ));
    }
    text.push_str("END:VCALENDAR\r\n");
    text
}

/// A session at this hour of a day that no run of the tests reaches.
fn wanted(hour: i64) -> CalendarBookingRequest {
    let day: Timestamp = "2099-01-05T00:00:00Z".parse().unwrap();
    let starts_at = day.plus_minutes(hour * 60);
    CalendarBookingRequest {
        booking_id: new_id(),
        session_number: 1,
        session: Span::new(starts_at, starts_at.plus_minutes(60)).unwrap(),
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        time_zone: "Asia/Kolkata".to_owned(),
    }
}

fn told(outcome: Result<CalendarBooking, SchedulingError>) -> String {
    outcome.unwrap_err().to_string()
}

#[tokio::test]
async fn a_session_is_scheduled_once_and_cancelled_once() {
    let third = ThirdParties::start().await;
    let provider = third.provider();
    let request = wanted(5);
    let made = provider.book(&request).await.unwrap();
    // The same booking again is the same event, and another one at its time is refused.
    assert_eq!(provider.book(&request).await.unwrap(), made);
    let other = told(provider.book(&wanted(5)).await);
    assert_eq!(other, "Failed to create booking: The supplied parameters are invalid.");
    let active = third.events("active").await;
    assert_eq!(active.len(), 1);
    assert_eq!(active[0]["start_time"], "2099-01-05T05:00:00Z");
    assert_eq!(active[0]["uri"], made.event_uri);
    for _repeated in 0..2 {
        provider.cancel(&made).await.unwrap();
        assert_eq!(third.events("canceled").await.len(), 1);
    }
    // The time is free again, also for the booking that had it.
    assert_ne!(provider.book(&request).await.unwrap(), made);
    let gone = CalendarBooking { event_uri: format!("{}X", made.event_uri), ..made };
    provider.cancel(&gone).await.unwrap();
}

#[tokio::test]
async fn each_fault_of_the_provider_leaves_one_event_or_none() {
    let third = ThirdParties::start().await;
    let provider = third.provider();
    let (types, create) =
        ("Failed to fetch event types", "Failed to create booking: Unknown error");
    for (hour, target, fault, expected, made) in [
        (0, "event_types", json!({ "kind": "status", "status": 503 }), types, 0),
        (1, "event_types", json!({ "kind": "refuse", "status": 403 }), types, 0),
        (2, "event_types", json!({ "kind": "drop" }), types, 0),
        (3, "events", json!({ "kind": "status" }), create, 0),
        (4, "events", json!({ "kind": "drop" }), create, 0),
        (5, "invitees", json!({ "kind": "status" }), create, 0),
        (6, "invitees", json!({ "kind": "refuse" }), create, 0),
        (7, "invitees", json!({ "kind": "drop" }), create, 0),
        (8, "invitees", json!({ "kind": "timeout_after_success", "delay_ms": 1 }), create, 1),
    ] {
        let request = wanted(hour);
        let mut fault = fault;
        fault["target"] = json!(format!("scheduling.{target}"));
        let before = third.events("active").await.len();
        third.fault(fault.clone()).await;
        assert_eq!(told(provider.book(&request).await), expected, "{fault}");
        assert_eq!(third.events("active").await.len(), before + made, "{fault}");
        provider.book(&request).await.unwrap();
        assert_eq!(third.events("active").await.len(), before + 1, "{fault}");
    }
}

#[tokio::test]
async fn a_cancellation_that_fails_is_repeated_until_it_is_done() {
    let third = ThirdParties::start().await;
    let provider = third.provider();
    for (hour, fault, done) in [
        (0, json!({ "kind": "status", "status": 500 }), false),
        (1, json!({ "kind": "refuse", "status": 400 }), false),
        (2, json!({ "kind": "drop" }), false),
        (3, json!({ "kind": "timeout_after_success", "delay_ms": 1 }), true),
    ] {
        let made = provider.book(&wanted(hour)).await.unwrap();
        let mut fault = fault;
        fault["target"] = json!("scheduling.cancellation");
        third.fault(fault.clone()).await;
        let error = provider.cancel(&made).await.unwrap_err();
        assert_eq!(error.to_string(), "Failed to cancel booking: Unknown error", "{fault}");
        assert_eq!(third.events("active").await.is_empty(), done, "{fault}");
        provider.cancel(&made).await.unwrap();
        assert!(third.events("active").await.is_empty(), "{fault}");
    }
}

#[tokio::test]
async fn another_token_or_user_gets_nothing() {
    let third = ThirdParties::start().await;
    let url = format!("{}/scheduling", third.url);
    let user = format!("{url}/users/OWNER");
    let elsewhere = format!("{url}/users/OTHER");
    for (user, token) in [(user.as_str(), "another"), (elsewhere.as_str(), TOKEN)] {
        let provider = Provider::new(&url, user, token.to_owned().into()).unwrap();
        assert_eq!(told(provider.book(&wanted(1)).await), "Failed to fetch event types");
    }
}

#[tokio::test]
async fn a_calendar_is_fetched_and_each_fault_of_its_server_has_a_word() {
    let third = ThirdParties::start().await;
    let calendars = third.calendars();
    let source = calendars.get("own").unwrap();
    let window = wanted(0).session;
    let fetch = async |etag: Option<String>| {
        let fetched = calendars.fetch(source, window, etag.as_deref()).await;
        fetched.map_err(|error| error.word())
    };
    assert_eq!(fetch(None).await, Err("no_calendar"));
    let file = calendar(&[("20990105T000000Z", "20990105T010000Z")]);
    third.put_calendar(file.clone()).await;
    let Ok(Fetched::Files(files, etag)) = fetch(None).await else { panic!("it is not served") };
    assert_eq!(files, [file]);
    assert!(etag.is_some());
    assert_eq!(fetch(etag.clone()).await, Ok(Fetched::Unchanged));
    for (fault, word) in [
        (json!({ "kind": "status", "status": 503 }), "server_error"),
        (json!({ "kind": "status", "status": 401 }), "refused"),
        (json!({ "kind": "drop" }), "no_answer"),
        (json!({ "kind": "endless" }), "too_large"),
        (json!({ "kind": "huge" }), "too_large"),
        (json!({ "kind": "redirect" }), "redirected"),
        (json!({ "kind": "redirect", "code": "http://169.254.169.254/latest" }), "redirected"),
    ] {
        let mut fault = fault;
        fault["target"] = json!("calendars.fetch");
        third.fault(fault.clone()).await;
        assert_eq!(fetch(etag.clone()).await, Err(word), "{fault}");
        assert_eq!(fetch(etag.clone()).await, Ok(Fetched::Unchanged), "{fault}");
    }
    third.put_calendar(calendar(&[])).await;
    assert!(matches!(fetch(etag).await, Ok(Fetched::Files(..))));
}
