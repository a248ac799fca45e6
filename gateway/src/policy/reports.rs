//! Reports of browsers about violations of the booking document's content policy. A newer build of
//! the provider's checkout may need more than the policy allows; then payments fail without any
//! other sign. Only directive and origin are stored, never an address or page content.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{Method, Request, StatusCode, Uri, header};
use serde_json::Value;
use tokio::time::Instant;

use crate::bodies::{BodyError, BodyReader};
use crate::caller::{Caller, network_prefix};

/// A report is about one kilobyte; browsers may send several in one body.
const BODY_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of kinds that are counted apart; reports are unauthenticated, so it must be
/// bounded.
const KINDS_MAX: usize = 64;
/// How many new kinds one network may report in an hour: one that makes them up fills no list.
const NEW_KINDS_MAX: u32 = 8;
/// How many networks are counted apart; one more reports no new kind until an hour is over.
const NETWORKS_MAX: usize = 1024;
/// After how long without a report a kind is forgotten: its place is free, and it is new again.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// The longest origin that is stored.
const ORIGIN_CHARS_MAX: usize = 80;
/// Counter of all further kinds once there are too many.
const OTHER_KINDS: &str = "others";

/// The directives that can block something, as browsers name them.
const DIRECTIVES: &[&str] = &[
    "connect-src",
    "font-src",
    "form-action",
    "frame-src",
    "img-src",
    "manifest-src",
    "media-src",
    "object-src",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
    "worker-src",
];

/// A kind that was reported.
#[derive(Debug)]
struct Reported {
    count: u64,
    last: Instant,
}

/// What was reported of late.
#[derive(Debug, Default)]
struct Reports {
    kinds: BTreeMap<String, Reported>,
    /// How many new kinds a network has reported, and when it began to.
    networks: HashMap<IpAddr, (u32, Instant)>,
}

impl Reports {
    fn forget(&mut self, now: Instant) {
        self.kinds.retain(|_, it| now.saturating_duration_since(it.last) < KEPT);
        self.networks.retain(|_, (_, since)| now.saturating_duration_since(*since) < KEPT);
    }

    /// Whether a network may report one more kind that was not known.
    fn admits_new(&mut self, network: IpAddr, now: Instant) -> bool {
        if self.networks.len() >= NETWORKS_MAX && !self.networks.contains_key(&network) {
            return false;
        }
        let (count, _) = self.networks.entry(network).or_insert((0, now));
        *count = count.saturating_add(1);
        *count <= NEW_KINDS_MAX
    }

    fn add(&mut self, kind: String, now: Instant) {
        let it = self.kinds.entry(kind).or_insert(Reported { count: 0, last: now });
        it.count = it.count.saturating_add(1);
        it.last = now;
    }
}

/// Violations per kind ("directive origin"), each until it was not reported for an hour.
#[derive(Debug, Default)]
pub(crate) struct ViolationCounts {
    reports: Mutex<Reports>,
}

impl ViolationCounts {
    /// The counts, for `/healthz`.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.kinds.iter().map(|(kind, it)| (kind.clone(), it.count)).collect()
    }

    /// Counts a network's report, and returns whether it is the first of its kind.
    fn count(&self, kind: String, network: IpAddr, now: Instant) -> bool {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.forget(now);
        let is_known = reports.kinds.contains_key(&kind);
        let is_new =
            !is_known && reports.kinds.len() < KINDS_MAX && reports.admits_new(network, now);
        let kind = if is_known || is_new { kind } else { OTHER_KINDS.to_owned() };
        reports.add(kind, now);
        is_new
    }

    /// Counts a body of reports in either of the two formats that browsers send.
    fn record(&self, body: &[u8], network: IpAddr) {
        let Ok(value) = serde_json::from_slice::<Value>(body) else { return };
        let list = match value {
            Value::Array(list) => list,
            one => vec![one],
        };
        for kind in list.iter().filter_map(kind_of) {
            if self.count(kind.clone(), network, Instant::now()) {
                tracing::error!(refused = kind, "the booking page's policy refused something new");
            }
        }
    }
}

/// The kind of a report; `None` if it is invalid or comes from a browser extension.
fn kind_of(report: &Value) -> Option<String> {
    let (fields, directive, blocked) = match report.get("csp-report") {
        Some(fields) => (fields, "effective-directive", "blocked-uri"),
        None => (report.get("body")?, "effectiveDirective", "blockedURL"),
    };
    let text = |field: &str| fields.get(field).and_then(Value::as_str);
    // Older browsers send the directive with its sources, in another field.
    let named = text(directive).or_else(|| text("violated-directive"))?.split(' ').next()?;
    let directive = DIRECTIVES.iter().find(|known| **known == named)?;
    Some(format!("{directive} {}", origin(text(blocked).unwrap_or_default())?))
}

fn origin(blocked: &str) -> Option<String> {
    if let word @ ("inline" | "eval" | "wasm-eval" | "data" | "blob" | "self" | "") = blocked {
        return Some(if word.is_empty() { "unknown" } else { word }.to_owned());
    }
    let url: Uri = blocked.parse().ok()?;
    let scheme = url.scheme_str().filter(|scheme| matches!(*scheme, "https" | "http" | "wss"))?;
    let authority = url.authority()?;
    let port = authority.port_u16().map_or_else(String::new, |port| format!(":{port}"));
    let origin = format!("{scheme}://{}{port}", authority.host());
    (origin.len() <= ORIGIN_CHARS_MAX).then_some(origin)
}

pub(crate) async fn serve(
    State((violations, bodies)): State<(Arc<ViolationCounts>, Arc<BodyReader>)>,
    Extension(caller): Extension<Caller>,
    request: Request<Body>,
) -> Response {
    if request.method() != Method::POST {
        let allow = [(header::ALLOW, "POST")];
        return (StatusCode::METHOD_NOT_ALLOWED, allow).into_response();
    }
    match bodies.read(caller.address, request.into_body(), BODY_BYTES_MAX).await {
        Ok(body) => {
            violations.record(&body.bytes, network_prefix(caller.address));
            StatusCode::NO_CONTENT.into_response()
        }
        Err(BodyError::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(BodyError::TimedOut) => StatusCode::REQUEST_TIMEOUT.into_response(),
        Err(BodyError::OverBudget) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, KINDS_MAX, NEW_KINDS_MAX, OTHER_KINDS, ViolationCounts};
    use serde_json::{Value, json};
    use std::net::{IpAddr, Ipv4Addr};
    use testkit::Alarms;
    use tokio::time::Instant;

    /// A network by number.
    fn network(number: u8) -> IpAddr {
        Ipv4Addr::new(203, 0, 113, number).into()
    }

    fn old(directive: &str, blocked: &str) -> Value {
        json!({ "csp-report": {
            "document-uri": "https://sukoon.example/booking-flow?b=bkg_1",
            "effective-directive": directive, "blocked-uri": blocked,
            "script-sample": "a secret",
        } })
    }

    #[test]
    fn only_directive_and_origin_are_stored() {
        let refused = ViolationCounts::default();
        let new = json!([{ "type": "csp-violation", "body": {
            "effectiveDirective": "frame-src", "blockedURL": "https://api.bank.example/v1?id=7",
        } }]);
        let reports = [
            old("style-src-elem", "inline"),
            old("style-src-elem", "inline"),
            old("script-src-elem", "https://cdn.example:8443/a/b.js?who=asha"),
            new,
            // An invalid report, a browser extension, and an attempt to inject a log line.
            json!({ "hello": 1 }),
            json!("text"),
            old("script-src-elem", "chrome-extension://abcdef/inject.js"),
            old("script-src\nERROR forged", "inline"),
            old("style-src-elem", &format!("https://{}.example/", "a".repeat(100))),
        ];
        let alarms = Alarms::listen();
        for report in reports {
            refused.record(report.to_string().as_bytes(), network(1));
        }
        assert_eq!(alarms.count("the booking page's policy refused something new"), 3);
        refused.record(b"no JSON", network(1));
        let counts: Vec<(String, u64)> = refused.counts().into_iter().collect();
        let expected = [
            ("frame-src https://api.bank.example", 1),
            ("script-src-elem https://cdn.example:8443", 1),
            ("style-src-elem inline", 2),
        ];
        assert_eq!(counts, expected.map(|(kind, count)| (kind.to_owned(), count)));
    }

    #[test]
    fn a_kind_is_new_once_and_the_number_of_kinds_is_bounded() {
        let (refused, now) = (ViolationCounts::default(), Instant::now());
        assert!(refused.count("img-src data".to_owned(), network(0), now));
        assert!(!refused.count("img-src data".to_owned(), network(1), now));
        for number in 0..1_000_u32 {
            let from = network(u8::try_from(number % 200).unwrap());
            refused.count(format!("img-src https://{number}.example"), from, now);
        }
        let one_more = "img-src https://one-more.example".to_owned();
        assert!(!refused.count(one_more.clone(), network(201), now));
        let counts = refused.counts();
        assert_eq!(counts.len(), KINDS_MAX + 1);
        assert_eq!(counts[OTHER_KINDS], 1_000 - (KINDS_MAX as u64 - 1) + 1);
        assert_eq!(counts["img-src data"], 2);
        // What is not reported for an hour leaves its place.
        assert!(refused.count(one_more, network(201), now + KEPT));
        assert_eq!(refused.counts().len(), 1);
    }

    #[test]
    fn one_network_that_makes_up_kinds_does_not_hide_those_of_others() {
        let (refused, now) = (ViolationCounts::default(), Instant::now());
        let made_up = (0..1_000).map(|number| format!("img-src https://{number}.example"));
        let told = made_up.filter(|kind| refused.count(kind.clone(), network(1), now)).count();
        assert_eq!(told, usize::try_from(NEW_KINDS_MAX).unwrap());
        assert!(refused.count("script-src-elem https://new.example".to_owned(), network(2), now));
    }
}
