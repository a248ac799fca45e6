//! Parsing of bodies and query strings, and checks that several endpoints share.

use std::collections::{HashMap, HashSet};

use axum::body::Bytes;
use axum::extract::{FromRequest, Query, Request};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use kernel::typed::{self, Line, TextProblem};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use url::form_urlencoded;

use crate::accounts::address::EmailAddress;
use crate::accounts::password::{self, Weakness};
use crate::app::App;
use crate::guard::caller::Caller;
use crate::http::error::ApiError;

/// Query parameters by name; [`reject_duplicate_parameters`] guarantees unique names.
pub(crate) type Parameters = Query<HashMap<String, String>>;

/// Maximum bytes of user metadata, which is part of every access token.
const METADATA_BYTES_MAX: usize = 2048;
/// Maximum bytes of an address in the contract.
const EMAIL_BYTES_MAX: usize = 255;
/// Maximum characters of a name or phone number.
const FIELD_CHARACTERS_MAX: usize = 200;

/// A JSON body; the content type is ignored, as in GoTrue.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await.map_err(|refused| {
            if refused.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE {
                let message = "Request body exceeds the limit of 1 MB";
                ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "request_entity_too_large", message)
            } else {
                not_json()
            }
        })?;
        serde_json::from_slice(&bytes).map(Self).map_err(|_malformed| not_json())
    }
}

/// A JSON body that may be absent: then it is the default.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Body(body) = Body::<Option<T>>::from_request(or_null(request), state).await?;
        Ok(Self(body.unwrap_or_default()))
    }
}

/// The request with `null` in place of an empty body.
fn or_null(request: Request) -> Request {
    let is_empty = axum::body::HttpBody::is_end_stream(request.body());
    if is_empty { request.map(|_empty| axum::body::Body::from("null")) } else { request }
}

fn not_json() -> ApiError {
    ApiError::bad("bad_json", "Could not parse request body as JSON")
}

/// Rejects a query with a repeated parameter. If a proxy read the first of two values and this
/// server the last, a request could evade the proxy's limits.
pub(crate) async fn reject_duplicate_parameters(request: Request, next: Next) -> Response {
    if has_duplicate_name(request.uri().query().unwrap_or_default()) {
        let message = "Each query parameter may be given only once";
        return ApiError::invalid(message).into_response();
    }
    next.run(request).await
}

/// Names are compared after decoding, so that another encoding cannot hide a repeat.
fn has_duplicate_name(query: &str) -> bool {
    let mut seen = HashSet::new();
    !form_urlencoded::parse(query.as_bytes()).all(|(name, _value)| seen.insert(name))
}

/// A parameter's non-empty value.
pub(crate) fn parameter<'q>(Query(parameters): &'q Parameters, name: &str) -> Option<&'q str> {
    parameters.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

/// A field's non-empty value.
pub(crate) fn non_empty(field: Option<&str>) -> Option<&str> {
    field.filter(|text| !text.is_empty())
}

/// A name of the request, as far as an answer may repeat it.
pub(crate) fn quotable(name: &str) -> String {
    let known = |c: &char| c.is_ascii_alphanumeric() || "-_.:/".contains(*c);
    name.chars().filter(known).take(100).collect()
}

/// Where the request asks to be led, if that is allowed: by its header, its parameter or field, or
/// for clients of the contract by the page that it comes from.
pub(crate) fn redirect_to(app: &App, parameter: Option<&str>) -> Option<String> {
    let caller = Caller::current();
    let asked = app.redirects.allowed(caller.redirect_to().or(parameter));
    let referer = caller.referer().filter(|_| app.policy.is_for_any());
    asked.or_else(|| app.redirects.allowed(referer)).map(String::from)
}

/// Parses an address.
pub(crate) fn email(field: &str) -> Result<EmailAddress, ApiError> {
    if field.len() > EMAIL_BYTES_MAX {
        return Err(ApiError::invalid("An email address is too long"));
    }
    EmailAddress::parse(field)
        .ok_or_else(|| ApiError::invalid("Unable to validate email address: invalid format"))
}

/// The digits of a phone number in the international form, without the plus sign.
pub(crate) fn phone(field: &str) -> Result<String, ApiError> {
    let field = typed::phone(field);
    let digits: String = field.chars().filter(|c| !"+ ".contains(*c)).collect();
    let formed = (2..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if formed {
        return Ok(digits);
    }
    Err(ApiError::invalid("Invalid phone number format (E.164 required)"))
}

/// Checks a new password.
pub(crate) fn new_password(
    app: &App,
    password: &str,
    email: Option<&EmailAddress>,
    about: &Value,
) -> Result<(), ApiError> {
    let name = |key: &str| about.get(key).and_then(Value::as_str).unwrap_or_default();
    // The host is named after the practice.
    let host = app.redirects.site().host_str().unwrap_or_default();
    let names = [name("firstName"), name("lastName"), host];
    let nowhere = EmailAddress::placeholder();
    password::check(password, email.unwrap_or(&nowhere), &names).map_err(
        |weakness| match weakness {
            Weakness::TooShort => {
                ApiError::weak_password("length", "Password should be at least 10 characters.")
            }
            Weakness::TooLong => ApiError::invalid("Password cannot be longer than 256 characters"),
            Weakness::Common => ApiError::weak_password(
                "pwned",
                "Password is known to be weak and easy to guess, please choose a different one.",
            ),
        },
    )
}

/// Merges new user metadata over the old; null removes a field.
pub(crate) fn user_metadata(
    app: &App,
    before: &Value,
    said: Option<Map<String, Value>>,
) -> Result<Value, ApiError> {
    merge_metadata(app.policy.is_for_any(), before, said)
}

/// The same; `any` names in it mean nothing to this server.
fn merge_metadata(
    any: bool,
    before: &Value,
    said: Option<Map<String, Value>>,
) -> Result<Value, ApiError> {
    let mut fields = before.as_object().cloned().unwrap_or_default();
    for (name, value) in said.unwrap_or_default() {
        let value = read_field(&name, value, any)?;
        if value.is_null() {
            fields.remove(&name);
        } else {
            fields.insert(name, value);
        }
    }
    let metadata = Value::Object(fields);
    if metadata.to_string().len() > METADATA_BYTES_MAX {
        return Err(ApiError::invalid("User metadata cannot be longer than 2048 bytes"));
    }
    Ok(metadata)
}

/// The fields that our own pages know are texts of a line, read by the rule of all services; of the
/// others nothing is known.
fn read_field(name: &str, value: Value, any: bool) -> Result<Value, ApiError> {
    // PostgreSQL keeps no such character.
    if name.contains('\0') || value.to_string().contains("\\u0000") {
        return Err(ApiError::invalid("User metadata cannot hold the character zero"));
    }
    if any || !matches!(name, "firstName" | "lastName" | "phone") || value.is_null() {
        return Ok(value);
    }
    let Some(text) = value.as_str() else {
        return Err(ApiError::invalid(format!("{name} must be a text of one line")));
    };
    if name == "phone" {
        let number = typed::phone(text);
        return if is_phone(&number) {
            Ok(Value::String(number))
        } else {
            Err(ApiError::invalid("Invalid phone number format"))
        };
    }
    match Line::parse(text, FIELD_CHARACTERS_MAX) {
        Ok(line) => Ok(Value::String(line.into_string())),
        // An account may have one name only.
        Err(TextProblem::Missing) if text.trim().is_empty() => Ok(Value::String(String::new())),
        Err(TextProblem::Missing) => Err(ApiError::invalid(format!("{name} has nothing to see"))),
        Err(TextProblem::Letterless) => Err(ApiError::invalid(format!("{name} has no letter"))),
        Err(TextProblem::Control) => {
            Err(ApiError::invalid(format!("{name} cannot hold control characters")))
        }
        Err(TextProblem::TooLong) => Err(ApiError::invalid(format!(
            "{name} cannot be longer than {FIELD_CHARACTERS_MAX} characters"
        ))),
    }
}

/// Whether the text looks like a phone number; an empty one is valid.
fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let written = text.trim_start_matches('+');
    let known = |c: char| c.is_ascii_digit() || " ().-/".contains(c);
    text.chars().count() <= FIELD_CHARACTERS_MAX
        && (text.is_empty() || ((7..=15).contains(&digits) && written.chars().all(known)))
}

#[cfg(test)]
mod tests {
    use super::{is_phone, merge_metadata, phone};
    use serde_json::json;

    #[test]
    fn phone_numbers_are_taken_as_people_write_them() {
        for number in ["", "98765 43210", "+91 98765-43210", "(0141) 234 5678"] {
            assert!(is_phone(number), "{number}");
        }
        for wrong in ["123", "call me", "98765+43210", "1234567890123456"] {
            assert!(!is_phone(wrong), "{wrong}");
        }
    }

    #[test]
    fn phones_of_the_contract_are_international() {
        assert_eq!(phone("+91 98765 43210").unwrap(), "919876543210");
        assert_eq!(phone("919876543210").unwrap(), "919876543210");
        for wrong in ["", "+", "098765432", "+9198765x3210", "1234567890123456"] {
            assert!(phone(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn new_metadata_is_merged_over_old() {
        let before = json!({ "firstName": "Asha", "phone": "98765 43210" });
        let said = json!({ "firstName": "Usha", "phone": null, "theme": "dark" });
        let after = merge_metadata(false, &before, said.as_object().cloned()).unwrap();
        assert_eq!(after, json!({ "firstName": "Usha", "theme": "dark" }));
        assert_eq!(merge_metadata(false, &before, None).unwrap(), before);
    }

    #[test]
    fn what_was_pasted_is_read_as_a_person_sees_it() {
        let said = json!({
            "firstName": " \u{2068}Asha\u{2069}\u{200b}\nDevi",
            "lastName": " ",
            "phone": "\u{202a}+९१\u{a0}98930\u{2011}12345\u{202c}",
        });
        let read = merge_metadata(false, &json!({}), said.as_object().cloned()).unwrap();
        let expected =
            json!({ "firstName": "Asha Devi", "lastName": "", "phone": "+91 98930-12345" });
        assert_eq!(read, expected);
    }

    #[test]
    fn invalid_metadata_is_rejected() {
        for wrong in [
            json!({ "firstName": 7 }),
            json!({ "lastName": "a\u{7}b" }),
            json!({ "firstName": "\u{202e}" }),
            json!({ "firstName": "\u{3164}" }),
            json!({ "firstName": "123" }),
            json!({ "lastName": "a".repeat(201) }),
            json!({ "phone": "nobody" }),
            json!({ "other": "a".repeat(2048) }),
            json!({ "other": ["\0"] }),
            json!({ "\0": "other" }),
        ] {
            let given = wrong.as_object().cloned();
            assert!(merge_metadata(false, &json!({}), given).is_err(), "{wrong}");
        }
    }
}
