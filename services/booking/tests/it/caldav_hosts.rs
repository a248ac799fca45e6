//! The password of a CalDAV account goes to the scheme, host and port of the account's address and
//! nowhere else, whatever the server names or where it redirects to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use booking::clients::calendars::{CalendarSecrets, Calendars, Fetched};
use booking::domain::span::Span;
use practice::{BusyCalendar, CalendarKind};

use crate::third_parties::calendar;
use crate::world::{at, practice_of_two};

const PASSWORD: &str = "only-for-this-account";

/// What the server does with requests for a path.
#[derive(Clone)]
enum Answer {
    /// It names things, each with an address and properties.
    Names(Vec<(String, String)>),
    /// It sends to this address.
    Redirects(StatusCode, String),
    /// It says this of things.
    Says(String),
}

/// A CalDAV server, and the requests that it got: the method, the path, and whether there was a
/// password.
#[derive(Clone)]
struct Server {
    port: u16,
    answers: Arc<Mutex<BTreeMap<String, Answer>>>,
    asked: Arc<Mutex<Vec<(String, String, bool)>>>,
}

impl Server {
    async fn new() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Self { port, answers: Arc::default(), asked: Arc::default() };
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    fn does(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    fn names(&self, path: &str, things: &[(&str, &str)]) {
        let owned =
            |(href, properties): &(&str, &str)| ((*href).to_owned(), (*properties).to_owned());
        self.does(path, Answer::Names(things.iter().map(owned).collect()));
    }

    /// An account whose address leads to its principal, its home and one calendar.
    fn has_account(&self) {
        self.names("/", &[("/", &principal("/p/"))]);
        self.names("/p/", &[("/p/", &home("/ravi/"))]);
        self.names("/ravi/", &[("/ravi/own/", &is_calendar())]);
        let data = calendar(&[("20261125T073000Z", "20261125T090000Z")]);
        let data = format!("<c:calendar-data>{data}</c:calendar-data>");
        self.names("/ravi/own/", &[("/ravi/own/1.ics", &data)]);
    }

    /// How many files the account at this server gives, or the word of its problem.
    async fn fetch(&self) -> Result<usize, &'static str> {
        let url = format!("http://127.0.0.1:{}", self.port);
        let mut practice = practice_of_two();
        practice.calendars.push(BusyCalendar {
            calendar_id: "dav".to_owned(),
            practitioner_id: "ravi".to_owned(),
            kind: CalendarKind::Caldav,
            url: format!("{url}/"),
            username: "ravi".to_owned(),
            invited_as: Vec::new(),
        });
        let secrets = CalendarSecrets::from([("dav".to_owned(), PASSWORD.to_owned().into())]);
        let calendars = Calendars::new(&practice, &secrets, Some(&url.parse().unwrap())).unwrap();
        let window = Span::new(at(0, 0), at(60, 0)).unwrap();
        match calendars.fetch(calendars.get("dav").unwrap(), window, None).await {
            Ok(Fetched::Files(files, _)) => Ok(files.len()),
            Ok(Fetched::Unchanged) => Err("unchanged"),
            Err(error) => Err(error.word()),
        }
    }

    fn asked(&self) -> Vec<(String, String, bool)> {
        self.asked.lock().unwrap().clone()
    }
}

fn principal(href: &str) -> String {
    format!("<d:current-user-principal><d:href>{href}</d:href></d:current-user-principal>")
}

fn home(href: &str) -> String {
    format!("<c:calendar-home-set><d:href>{href}</d:href></c:calendar-home-set>")
}

fn is_calendar() -> String {
    "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>".to_owned()
}

async fn answer(State(server): State<Server>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let has_password = request.headers().contains_key(header::AUTHORIZATION);
    let asked = (request.method().to_string(), path.clone(), has_password);
    server.asked.lock().unwrap().push(asked);
    let known = server.answers.lock().unwrap().get(&path).cloned();
    match known {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Answer::Redirects(status, to)) => (status, [(header::LOCATION, to)]).into_response(),
        Some(Answer::Names(things)) => {
            let one = |(href, properties): &(String, String)| {
                format!(
                    "<d:response><d:href>{href}</d:href><d:propstat><d:prop>{properties}</d:prop>\
                     <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
                )
            };
            multistatus(&things.iter().map(one).collect::<String>())
        }
        Some(Answer::Says(things)) => multistatus(&things),
    }
}

fn multistatus(things: &str) -> Response {
    let text = format!(
        "<d:multistatus xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\">\
         {things}</d:multistatus>"
    );
    (StatusCode::MULTI_STATUS, text).into_response()
}

#[tokio::test]
async fn an_account_is_read_from_the_host_of_its_address() {
    let server = Server::new().await;
    server.has_account();
    assert_eq!(server.fetch().await, Ok(1));
    let asked = |method: &str, path: &str| (method.to_owned(), path.to_owned(), true);
    let expected = [
        asked("PROPFIND", "/"),
        asked("PROPFIND", "/p/"),
        asked("PROPFIND", "/ravi/"),
        asked("REPORT", "/ravi/own/"),
    ];
    assert_eq!(server.asked(), expected);
    // The same host may be named in full.
    let full = format!("http://127.0.0.1:{}/ravi/own/", server.port);
    server.names("/ravi/", &[(&full, &is_calendar())]);
    assert_eq!(server.fetch().await, Ok(1));
}

#[tokio::test]
async fn what_a_server_names_elsewhere_gets_no_password() {
    let (server, other) = (Server::new().await, Server::new().await);
    other.has_account();
    let (own, port) = (server.port, other.port);
    for elsewhere in [
        format!("http://127.0.0.1:{port}"),
        format!("//127.0.0.1:{port}"),
        format!("http://localhost:{own}"),
        format!("http://127.0.0.2:{own}"),
        format!("http://127.0.0.1:{own}@127.0.0.1:{port}"),
        format!("https://127.0.0.1:{own}"),
        "https://p42-caldav.example.org".to_owned(),
    ] {
        server.has_account();
        server.names("/", &[("/", &principal(&format!("{elsewhere}/p/")))]);
        assert_eq!(server.fetch().await, Err("other_host"), "principal {elsewhere}");
        server.names("/", &[("/", &home(&format!("{elsewhere}/ravi/")))]);
        assert_eq!(server.fetch().await, Err("other_host"), "home {elsewhere}");
        server.names("/", &[("/", &principal("/p/"))]);
        server.names("/p/", &[("/p/", &home(&format!("{elsewhere}/ravi/")))]);
        assert_eq!(server.fetch().await, Err("other_host"), "home of principal {elsewhere}");
        server.has_account();
        // One calendar elsewhere makes the account unreadable: it may be the one that is busy.
        let there = format!("{elsewhere}/ravi/own/");
        server.names("/ravi/", &[("/ravi/own/", &is_calendar()), (&there, &is_calendar())]);
        assert_eq!(server.fetch().await, Err("other_host"), "calendar {elsewhere}");
    }
    assert!(other.asked().is_empty(), "{:?}", other.asked());
}

#[tokio::test]
async fn a_redirection_is_not_followed_and_gets_no_password() {
    let (server, other) = (Server::new().await, Server::new().await);
    other.has_account();
    for status in [301, 302, 303, 307, 308] {
        let status = StatusCode::from_u16(status).unwrap();
        for path in ["/", "/p/", "/ravi/", "/ravi/own/"] {
            for host in [other.port, server.port] {
                server.has_account();
                let to = format!("http://127.0.0.1:{host}/elsewhere/");
                server.does(path, Answer::Redirects(status, to.clone()));
                assert_eq!(server.fetch().await, Err("redirected"), "{status} {path} {to}");
            }
        }
    }
    assert!(other.asked().is_empty(), "{:?}", other.asked());
    assert!(server.asked().iter().all(|(_, path, _)| path != "/elsewhere/"));
}

/// What a server does not give may be a busy time: the account counts as unreadable, and its last
/// times stay closed. What is gone closes nothing.
#[tokio::test]
async fn an_account_of_which_a_part_is_not_given_is_not_read() {
    let server = Server::new().await;
    server.has_account();
    let data = calendar(&[("20261125T073000Z", "20261125T090000Z")]);
    let given = format!(
        "<d:response><d:href>/ravi/own/1.ics</d:href><d:propstat><d:prop><c:calendar-data>{data}\
         </c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    );
    let other = |href: &str, status: &str| {
        let status = format!("<d:status>HTTP/1.1 {status}</d:status>");
        let part = format!("<d:propstat><d:prop><c:calendar-data/></d:prop>{status}</d:propstat>");
        [status, part].map(|it| format!("<d:response><d:href>{href}</d:href>{it}</d:response>"))
    };
    for (href, status, expected) in [
        ("/ravi/own/2.ics", "500 Internal Server Error", Err("incomplete")),
        ("/ravi/own/2.ics", "403 Forbidden", Err("incomplete")),
        ("/ravi/own/", "507 Insufficient Storage", Err("incomplete")),
        ("/ravi/own/2.ics", "404 Not Found", Ok(1)),
    ] {
        for other in other(href, status) {
            server.does("/ravi/own/", Answer::Says(format!("{given}{other}")));
            assert_eq!(server.fetch().await, expected, "{other}");
        }
    }
}
