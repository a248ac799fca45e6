//! Reports of browsers about violations of the booking document's content policy. A newer build of
//! the provider's checkout may need more than the policy allows; then payments fail without any
//! other sign. Only directive and origin are stored, never an address or page content.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{Method, Request, StatusCode, Uri, header};
use serde_json::Value;

use crate::bodies::{BodyError, BodyReader};
use crate::caller::Caller;

/// A report is about one kilobyte; browsers may send several in one body.
const BODY_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of kinds that are counted apart; reports are unauthenticated, so it must be
/// bounded.
const KINDS_MAX: usize = 64;
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

/// Violations per kind ("directive origin") since this process started.
#[derive(Debug, Default)]
pub(crate) struct ViolationCounts {
    counts: Mutex<BTreeMap<String, u64>>,
}

impl ViolationCounts {
    /// The counts, for `/healthz`.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts a report, and returns whether it is the first of its kind.
    fn count(&self, kind: String) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = counts.len() >= KINDS_MAX && !counts.contains_key(&kind);
        let is_new = !is_full && !counts.contains_key(&kind);
        let kind = if is_full { OTHER_KINDS.to_owned() } else { kind };
        let count = counts.entry(kind).or_default();
        *count = count.saturating_add(1);
        is_new
    }

    /// Counts a body of reports in either of the two formats that browsers send.
    fn record(&self, body: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(body) else { return };
        let list = match value {
            Value::Array(list) => list,
            one => vec![one],
        };
        for kind in list.iter().filter_map(kind_of) {
            if self.count(kind.clone()) {
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
            violations.record(&body.bytes);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(BodyError::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(BodyError::TimedOut) => StatusCode::REQUEST_TIMEOUT.into_response(),
        Err(BodyError::OverBudget) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS_MAX, OTHER_KINDS, ViolationCounts};
    use serde_json::{Value, json};
    use testkit::Alarms;

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
            refused.record(report.to_string().as_bytes());
        }
        assert_eq!(alarms.count("the booking page's policy refused something new"), 3);
        refused.record(b"no JSON");
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
        let refused = ViolationCounts::default();
        assert!(refused.count("img-src data".to_owned()));
        assert!(!refused.count("img-src data".to_owned()));
        for number in 0..1_000 {
            refused.count(format!("img-src https://{number}.example"));
        }
        assert!(!refused.count("img-src https://one-more.example".to_owned()));
        let counts = refused.counts();
        assert_eq!(counts.len(), KINDS_MAX + 1);
        assert_eq!(counts[OTHER_KINDS], 1_000 - (KINDS_MAX as u64 - 1) + 1);
        assert_eq!(counts["img-src data"], 2);
    }
}
