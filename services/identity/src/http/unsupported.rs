//! Responses for endpoints of the client library that this server does not support: other
//! providers, one-time codes instead of passwords, multi-factor authentication. The texts are those
//! of the contract.

use axum::extract::Path;
use axum::http::StatusCode;
use serde::Deserialize;
use uuid::Uuid;

use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::request::{Body, non_empty};

#[derive(Deserialize)]
pub(crate) struct Contact {
    email: Option<String>,
    phone: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Enrolment {
    factor_type: Option<String>,
}

pub(crate) async fn authorize() -> ApiError {
    ApiError::invalid("Unsupported provider: provider is not enabled")
}

/// The same answer whether or not the address has an account.
pub(crate) async fn otp(Body(contact): Body<Contact>) -> ApiError {
    match (non_empty(contact.email.as_deref()), non_empty(contact.phone.as_deref())) {
        (Some(_), _) => ApiError::unprocessable("otp_disabled", "Signups not allowed for otp"),
        (None, Some(_)) => ApiError::bad("phone_provider_disabled", "Unsupported phone provider"),
        (None, None) => ApiError::invalid("One of email or phone must be set"),
    }
}

pub(crate) async fn sso() -> ApiError {
    not_found("saml_provider_disabled", "SAML 2.0 is disabled")
}

/// A mailed nonce is not needed: the current password authorizes a new one.
pub(crate) async fn reauthenticate(_signed_in: SignedIn) -> ApiError {
    ApiError::invalid("Reauthentication by mail is disabled, send current_password instead")
}

pub(crate) async fn link_identity(_signed_in: SignedIn) -> ApiError {
    not_found("manual_linking_disabled", "Manual linking is disabled")
}

pub(crate) async fn enroll(_signed_in: SignedIn, Body(body): Body<Enrolment>) -> ApiError {
    match non_empty(body.factor_type.as_deref()) {
        Some("totp") => {
            let message = "MFA enroll is disabled for TOTP";
            ApiError::unprocessable("mfa_totp_enroll_not_enabled", message)
        }
        Some("phone") => {
            let message = "MFA enroll is disabled for Phone";
            ApiError::unprocessable("mfa_phone_enroll_not_enabled", message)
        }
        Some("webauthn") => {
            let message = "MFA enroll is disabled for WebAuthn";
            ApiError::unprocessable("mfa_webauthn_enroll_not_enabled", message)
        }
        _ => ApiError::invalid("factor_type needs to be totp, phone, or webauthn"),
    }
}

/// No account has factors.
pub(crate) async fn factor(_signed_in: SignedIn, Path(factor_id): Path<String>) -> ApiError {
    if factor_id.parse::<Uuid>().is_err() {
        return not_found("validation_failed", "factor_id must be an UUID");
    }
    not_found("mfa_factor_not_found", "Factor not found")
}

fn not_found(code: &'static str, message: &'static str) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, code, message)
}
