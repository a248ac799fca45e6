//! Calls beyond the contract: passkeys, recovery codes, the list of sessions.

use reqwest::Method;
use serde_json::json;

use super::{Ask, Row, post, row, signed};

/// What a server of this version answers.
const ABSENT: &str = "404 text";
const NOWHERE: &str = "00000000-0000-4000-8000-000000000000";

pub(super) fn rows() -> Vec<Row> {
    let sign_in = || post("/passkeys/authentication", json!({}));
    let of = |method, path: &str| signed(method, path, json!({}));
    let one = |list: &str| format!("/{list}/{NOWHERE}");
    let calls: [(&'static str, Ask); 12] = [
        (
            "POST /passkeys/registration/options (not in the yaml)",
            of(Method::POST, "/passkeys/registration/options"),
        ),
        (
            "POST /passkeys/registration (not in the yaml)",
            of(Method::POST, "/passkeys/registration"),
        ),
        (
            "POST /passkeys/authentication/options (not in the yaml)",
            post("/passkeys/authentication/options", json!({})),
        ),
        ("POST /passkeys/authentication (not in the yaml)", sign_in()),
        ("GET /passkeys (not in the yaml)", of(Method::GET, "/passkeys")),
        ("PATCH /passkeys/{passkeyId} (not in the yaml)", of(Method::PATCH, &one("passkeys"))),
        ("DELETE /passkeys/{passkeyId} (not in the yaml)", of(Method::DELETE, &one("passkeys"))),
        (
            "GET /factors/recovery-codes (not in the yaml)",
            of(Method::GET, "/factors/recovery-codes"),
        ),
        (
            "POST /factors/recovery-codes (not in the yaml)",
            of(Method::POST, "/factors/recovery-codes"),
        ),
        (
            "POST /factors/recovery-codes/verify (not in the yaml)",
            of(Method::POST, "/factors/recovery-codes/verify"),
        ),
        ("GET /sessions (not in the yaml)", of(Method::GET, "/sessions")),
        ("DELETE /sessions/{sessionId} (not in the yaml)", of(Method::DELETE, &one("sessions"))),
    ];
    calls
        .into_iter()
        .map(|(operation, ask)| row(operation, "", ask, ABSENT).differs("ours"))
        .collect()
}
