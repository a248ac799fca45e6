//! `CONTRACT.md`: a call of every operation of the contract, our answer, and the contract's.
//!
//! The contract's answers were read in the sources and the documentation of supabase/auth v2.185.0
//! with its default settings. The test makes the calls and compares the table with the file, which
//! `INSTA_UPDATE=always` renews. An answer that differs needs a reason.

mod accounts;
mod factors;
mod own;
mod phone_factors;
mod public;
mod sessions;
mod switched_off;
mod verification;
mod ways_in;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use futures::future::LocalBoxFuture;
use identity::app::features::Features;
use identity::app::policy::{Clients, Policy};
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use crate::admin::service_key;
use crate::test_server::{Answer, PUBLIC_URL, TestServer};
use crate::third_parties::ThirdParties;

/// The account of calls with a token.
pub(super) const MEMBER: &str = "member@example.test";
/// The paths of the contract's 54 operations, as its openapi.yaml has them.
const OPERATIONS: usize = 54;

/// The settings of the server that a call is made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Settings {
    Default,
    ConfirmEmailOff,
    ClientsAny,
    SignupsOff,
    VerifyByGet,
    /// Anonymous accounts, phones, providers and linking, for any client.
    WaysIn,
}

impl Settings {
    const ALL: [Self; 6] = [
        Self::Default,
        Self::ConfirmEmailOff,
        Self::ClientsAny,
        Self::SignupsOff,
        Self::VerifyByGet,
        Self::WaysIn,
    ];

    fn text(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::ConfirmEmailOff => "IDENTITY_CONFIRM_EMAIL=false",
            Self::ClientsAny => "IDENTITY_CLIENTS=any",
            Self::SignupsOff => "IDENTITY_SIGNUPS=false",
            Self::VerifyByGet => "IDENTITY_CLIENTS=any IDENTITY_VERIFY_BY_GET=true",
            Self::WaysIn => "IDENTITY_CLIENTS=any, and the ways of WAYS_IN.md",
        }
    }

    async fn server(self, parties: &ThirdParties) -> TestServer {
        let any = Policy { clients: Clients::Any, ..Policy::default() };
        let policy = match self {
            Self::Default | Self::ConfirmEmailOff => Policy::default(),
            Self::ClientsAny | Self::WaysIn => any,
            Self::SignupsOff => Policy { signups: false, ..Policy::default() },
            Self::VerifyByGet => {
                let origins = vec![Url::parse("https://app.example").unwrap()];
                Policy { verify_by_get: true, origins, ..any }
            }
        };
        let features = match self {
            Self::WaysIn => parties.everything(),
            _ => Features::default(),
        };
        TestServer::start_full((self != Self::ConfirmEmailOff, PUBLIC_URL), policy, features).await
    }
}

/// A server with its member.
pub(super) struct World {
    pub(super) server: TestServer,
    /// The member's access token; empty where sign-up is closed.
    pub(super) token: String,
    /// A service key.
    pub(super) key: String,
    pub(super) parties: ThirdParties,
}

impl World {
    async fn new(settings: Settings) -> Self {
        let parties = ThirdParties::start().await;
        let server = settings.server(&parties).await;
        let token = match settings {
            Settings::SignupsOff => String::new(),
            _ => server.confirmed_account(MEMBER).await.text("/access_token"),
        };
        server.move_clock(61).await;
        let key = service_key(&server).await;
        Self { server, token, key, parties }
    }
}

type Calling = for<'w> fn(&'w World) -> LocalBoxFuture<'w, Answer>;

/// How a row's call is made.
pub(super) enum Ask {
    /// Without a token.
    Plain(Method, String, Value),
    /// With the member's token.
    Signed(Method, String, Value),
    /// With a service key.
    Keyed(Method, String, Value),
    /// With what the test has to do before.
    Prepared(Calling),
}

/// A row of the table.
pub(super) struct Row {
    operation: &'static str,
    what: &'static str,
    settings: Settings,
    ask: Ask,
    contract: &'static str,
    why: &'static str,
}

/// A row with default settings whose answer is the contract's.
pub(super) fn row(
    operation: &'static str,
    what: &'static str,
    ask: Ask,
    contract: &'static str,
) -> Row {
    Row { operation, what, settings: Settings::Default, ask, contract, why: "" }
}

impl Row {
    pub(super) fn with(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// Our answer differs, for a reason.
    pub(super) fn differs(self, why: &'static str) -> Self {
        Self { why, ..self }
    }
}

pub(super) fn get(path: &str) -> Ask {
    Ask::Plain(Method::GET, path.to_owned(), json!({}))
}

pub(super) fn post(path: &str, body: Value) -> Ask {
    Ask::Plain(Method::POST, path.to_owned(), body)
}

pub(super) fn signed(method: Method, path: &str, body: Value) -> Ask {
    Ask::Signed(method, path.to_owned(), body)
}

/// An answer as the table writes it: the status, and of an error code and message, of an object its
/// keys, of a redirect the place with the names of its parameters.
pub(super) fn summary(answer: &Answer) -> String {
    let status = answer.status.as_u16();
    if let Some(place) = answer.headers.get("location") {
        return format!("{status} to {}", place_summary(place.to_str().unwrap()));
    }
    let Some(fields) = answer.body.as_object() else {
        let text = answer.body.as_str().unwrap_or_default();
        return if text.is_empty() { status.to_string() } else { format!("{status} text") };
    };
    let error = fields.get("code").or_else(|| fields.get("error")).and_then(Value::as_str);
    let message = fields.get("message").or_else(|| fields.get("error_description"));
    if let (Some(code), Some(message)) = (error, message.and_then(Value::as_str)) {
        return format!("{status} {code}: {message}");
    }
    let keys: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
    let keys: Vec<&str> = keys.into_iter().collect();
    format!("{status} {{{}}}", keys.join(", "))
}

fn place_summary(place: &str) -> String {
    let url = Url::parse(place).unwrap();
    let names = |text: &str| {
        let pairs = url::form_urlencoded::parse(text.as_bytes()).into_owned();
        let shown = pairs.map(|(name, value)| match name.as_str() {
            "error" | "error_code" | "type" => format!("{name}={value}"),
            _ => name,
        });
        shown.collect::<Vec<_>>().join("&")
    };
    let mut shown = format!("{}{}", url.origin().ascii_serialization(), url.path());
    if let Some(query) = url.query() {
        write!(shown, "?{}", names(query)).unwrap();
    }
    if let Some(fragment) = url.fragment() {
        write!(shown, "#{}", names(fragment)).unwrap();
    }
    shown
}

async fn answer(world: &World, ask: &Ask) -> Answer {
    let server = &world.server;
    match ask {
        Ask::Plain(method, path, body) => {
            server.send(server.request(method.clone(), path).json(body)).await
        }
        Ask::Signed(method, path, body) => {
            server.call(method.clone(), path, &world.token, body.clone()).await
        }
        Ask::Keyed(method, path, body) => {
            server.call(method.clone(), path, &world.key, body.clone()).await
        }
        Ask::Prepared(call) => call(world).await,
    }
}

fn rows() -> Vec<Row> {
    [
        sessions::rows(),
        accounts::rows(),
        verification::rows(),
        factors::rows(),
        switched_off::rows(),
        ways_in::rows(),
        phone_factors::rows(),
        public::rows(),
        own::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const HEAD: &str = "# The contract, call by call

Made by `tests/it/contract_table.rs`, which makes every call and compares this file;
`INSTA_UPDATE=always` renews it. The contract is supabase/auth v2.185.0 with its default settings,
read in its sources. Calls carry `X-Supabase-Api-Version: 2024-01-01`. An error is written as code
and message, an object by its keys, a redirect by its place and the names of its parameters.
A session is at `aal2` after any second factor, a phone included, as there; calls of staff ask
for no more.

| operation | what is asked | settings | ours | the contract's | |
| --- | --- | --- | --- | --- | --- |
";

fn line(row: &Row, ours: &str) -> String {
    let same = ours == row.contract;
    assert_eq!(
        same,
        row.why.is_empty(),
        "{} ({}): ours is {ours}, the contract's {}, and the reason is \"{}\"",
        row.operation,
        row.what,
        row.contract,
        row.why,
    );
    let verdict = if same { "same" } else { row.why };
    let shown = |text: &str| text.replace('|', "\\|");
    let (ours, contract) = (shown(ours), shown(row.contract));
    let Row { operation, what, settings, .. } = row;
    let settings = settings.text();
    format!("| {operation} | {what} | {settings} | {ours} | {contract} | {verdict} |\n")
}

#[tokio::test]
async fn every_operation_answers_as_the_contract_or_says_why_not() {
    let rows = rows();
    let operations: BTreeSet<&str> = rows
        .iter()
        .map(|row| row.operation)
        .filter(|it| !it.contains("(not in the yaml)"))
        .collect();
    assert_eq!(operations.len(), OPERATIONS, "{operations:#?}");
    let mut lines: Vec<(usize, String)> = Vec::new();
    for settings in Settings::ALL {
        let world = World::new(settings).await;
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.settings == settings) {
            let ours = summary(&answer(&world, &row.ask).await);
            lines.push((at, line(row, &ours)));
        }
    }
    lines.sort();
    let table: String = lines.into_iter().map(|(_, line)| line).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRACT.md");
    let made = format!("{HEAD}{table}");
    #[expect(clippy::disallowed_methods, reason = "snapshots are renewed by the same word")]
    let is_renewed = std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always");
    if is_renewed {
        std::fs::write(&file, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == made, "CONTRACT.md is out of date: INSTA_UPDATE=always renews it");
}
