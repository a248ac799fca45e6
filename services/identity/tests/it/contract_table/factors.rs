//! Second factors of the caller.

use reqwest::Method;
use serde_json::json;

use super::{Row, post, row, signed};

const FACTOR: &str = "/factors/00000000-0000-4000-8000-000000000000";
const CHALLENGE: &str = "/factors/00000000-0000-4000-8000-000000000000/challenge";
const VERIFY: &str = "/factors/00000000-0000-4000-8000-000000000000/verify";
const NOT_FOUND: &str = "404 mfa_factor_not_found: Factor not found";

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "POST /factors",
            "totp",
            signed(Method::POST, "/factors", json!({ "factor_type": "totp" })),
            "200 {friendly_name, id, totp, type}",
        )
        .differs("missing"),
        row(
            "POST /factors",
            "without a token",
            post("/factors", json!({})),
            "401 no_authorization: This endpoint requires a valid Bearer token",
        ),
        row(
            "POST /factors/{factorId}/challenge",
            "unknown factor",
            signed(Method::POST, CHALLENGE, json!({})),
            NOT_FOUND,
        ),
        row(
            "POST /factors/{factorId}/verify",
            "unknown factor",
            signed(Method::POST, VERIFY, json!({ "code": "123456" })),
            NOT_FOUND,
        ),
        row(
            "DELETE /factors/{factorId}",
            "unknown factor",
            signed(Method::DELETE, FACTOR, json!({})),
            NOT_FOUND,
        ),
    ]
}
