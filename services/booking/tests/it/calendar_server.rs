//! A calendar's server, with the faults that calendar servers have. It is a server of its own on
//! the network, because booking's connection is what these tests are about.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures::stream;

/// What the server does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// It sends this text.
    Serves(String),
    /// It sends this text with this name, and nothing to a client that knows the name.
    Named(String, &'static str),
    /// It answers with a status.
    Fails(u16),
    /// It sends to this address.
    Redirects(String),
    /// It sends without end.
    Endless,
    /// It sends a beginning and nothing more.
    Hangs,
}

/// A server and the requests that it got.
#[derive(Debug, Clone)]
pub(crate) struct CalendarServer {
    pub(crate) url: String,
    state: Arc<Mutex<(Behaviour, usize)>>,
}

impl CalendarServer {
    pub(crate) async fn new() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new((Behaviour::Fails(503), 0)));
        let server = Self { url, state };
        let router = Router::new().route("/secret.ics", get(answer)).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    /// The calendar's address.
    pub(crate) fn address(&self) -> String {
        format!("{}/secret.ics", self.url)
    }

    pub(crate) fn does(&self, behaviour: Behaviour) {
        self.state.lock().unwrap().0 = behaviour;
    }

    /// It serves a calendar with these events, each of a start and an end in UTC.
    pub(crate) fn serves(&self, events: &[(&str, &str)]) {
        self.does(Behaviour::Serves(calendar(events)));
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.state.lock().unwrap().1
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

async fn answer(State(server): State<CalendarServer>, headers: HeaderMap) -> Response {
    let behaviour = {
        let mut state = server.state.lock().unwrap();
        state.1 += 1;
        state.0.clone()
    };
    match behaviour {
        Behaviour::Serves(text) => text.into_response(),
        Behaviour::Named(text, name) => {
            if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == name) {
                return StatusCode::NOT_MODIFIED.into_response();
            }
            ([(header::ETAG, name)], text).into_response()
        }
        Behaviour::Fails(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Behaviour::Redirects(to) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Behaviour::Endless => {
            let chunk = || Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 4096]));
            Body::from_stream(stream::repeat_with(chunk)).into_response()
        }
        Behaviour::Hangs => {
            let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"BEGIN"))]);
            Body::from_stream(futures::StreamExt::chain(first, stream::pending())).into_response()
        }
    }
}
