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
        ),
        row(
            "POST /factors",
            "the same name again",
            signed(Method::POST, "/factors", json!({ "factor_type": "totp" })),
            "422 mfa_factor_name_conflict: A factor with the friendly name \"\" for this user \
             already exists",
        ),
        row(
            "POST /factors",
            "phone",
            signed(Method::POST, "/factors", json!({ "factor_type": "phone" })),
            "422 mfa_phone_enroll_not_enabled: MFA enroll is disabled for Phone",
        ),
        row(
            "POST /factors",
            "webauthn",
            signed(
                Method::POST,
                "/factors",
                json!({ "factor_type": "webauthn", "friendly_name": "key" }),
            ),
            "422 mfa_webauthn_enroll_not_enabled: MFA enroll is disabled for WebAuthn",
        )
        .differs("security keys are switched on"),
        row(
            "POST /factors",
            "another type",
            signed(Method::POST, "/factors", json!({ "factor_type": "sms" })),
            "400 validation_failed: factor_type needs to be totp, phone, or webauthn",
        ),
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
        row(
            "DELETE /factors/{factorId}",
            "no id",
            signed(Method::DELETE, "/factors/x", json!({})),
            "404 validation_failed: factor_id must be an UUID",
        ),
    ]
}
