//! POST /verify: redeems a mailed code, typed or as a link's token, and opens a session.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::json;

use crate::accounts::address::EmailAddress;
use crate::app::App;
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::Visitor;
use crate::http::captcha::{self, MetaSecurity};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::proving::{Bearer, Redeemer};
use crate::http::redeem::{self, HALF_CHANGED, LINK_EXPIRED, Redeemed};
use crate::http::request::{self, Body, non_empty};
use crate::http::timing::with_min_duration;
use crate::http::{email_change, objects, phone, verify_link};

#[derive(Deserialize)]
pub(crate) struct Verify {
    r#type: Option<String>,
    token: Option<String>,
    token_hash: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    redirect_to: Option<String>,
    /// An extension of the contract, sent by our own pages.
    sign_up_secret: Option<String>,
    /// An extension, too: with `redirect` the answer names where the contract's GET leads.
    answer: Option<String>,
    gotrue_meta_security: Option<MetaSecurity>,
}

pub(crate) async fn by_code(
    State(app): State<App>,
    Visitor(visitor): Visitor,
    FromDevice(device): FromDevice,
    Body(body): Body<Verify>,
) -> Result<Response, ApiError> {
    let kind = non_empty(body.r#type.as_deref())
        .ok_or_else(|| ApiError::invalid("Verify requires a verification type"))?;
    let leads_on = body.answer.as_deref() == Some("redirect");
    let token = non_empty(body.token.as_deref());
    let hash = non_empty(body.token_hash.as_deref());
    let has_worked = captcha::may_have_worked(&app, body.gotrue_meta_security.clone()).await?;
    let redeemer = Redeemer {
        sign_up_secret: non_empty(body.sign_up_secret.as_deref()).map(str::to_owned),
        bearer: visitor.as_ref().map(Bearer::of),
        device,
        goes_on: leads_on && hash.is_some(),
        recovers: kind == "recovery",
        has_worked,
    };
    let (message, redeemed) = match (token, hash) {
        (None, None) | (Some(_), Some(_)) => {
            let message = "Verify requires either a token or a token hash";
            return Err(ApiError::invalid(message));
        }
        (None, Some(hash)) => {
            check_link(&body, kind)?;
            let redeemed = with_min_duration(redeem::link(&app, kind, hash, redeemer)).await?;
            if leads_on {
                verify_link::log(&redeemed.outcome);
                return verify_link::answer(&app, (kind, hash), &redeemed);
            }
            (LINK_EXPIRED, redeemed.outcome)
        }
        (Some(token), None) => {
            let email = match contact(&body)? {
                Contact::Email(email) => email,
                Contact::Phone(_) if app.features.sms.is_none() => return Err(expired(NOT_RIGHT)),
                Contact::Phone(number) => {
                    return phone::verify(&app, kind, (number, token), redeemer).await;
                }
            };
            let typed = (email, token.to_owned());
            let redeeming = redeem::digits(&app, kind, typed, redeemer);
            (NOT_RIGHT, with_min_duration(redeeming).await?)
        }
    };
    let method = if token.is_some() { Method::Code } else { Method::Link };
    let kind = if kind == "email_change" { Kind::AddressChange } else { Kind::SignIn };
    let log = |outcome, about| security_log::write(kind, outcome, method, about);
    match redeemed {
        Redeemed::SignedIn(opened) => {
            log(Outcome::Done, About::Account(opened.user.user_id));
            objects::session(&app, &opened)
        }
        Redeemed::HalfChanged => {
            Ok(Json(json!({ "msg": HALF_CHANGED, "code": "200" })).into_response())
        }
        Redeemed::AddressTaken => Err(ApiError::email_exists()),
        Redeemed::Elsewhere => Err(email_change::elsewhere()),
        Redeemed::Banned => {
            log(Outcome::Banned, About::NoAccount);
            Err(ApiError::forbidden("user_banned", "User is banned"))
        }
        Redeemed::AuthCode(_) | Redeemed::Invalid => {
            log(Outcome::WrongProof, About::NoAccount);
            Err(expired(message))
        }
    }
}

const NOT_RIGHT: &str = "Token has expired or is invalid";

fn expired(message: &'static str) -> ApiError {
    ApiError::forbidden("otp_expired", message)
}

/// The fields that may come with a link's token.
fn check_link(body: &Verify, kind: &str) -> Result<(), ApiError> {
    let others = [&body.email, &body.phone, &body.redirect_to];
    if others.into_iter().any(|field| non_empty(field.as_deref()).is_some()) {
        return Err(ApiError::invalid("Only the token_hash and type should be provided"));
    }
    if redeem::purposes(kind).is_empty() {
        return Err(ApiError::invalid("Invalid email verification type"));
    }
    Ok(())
}

/// Where a typed code was sent.
enum Contact {
    Email(EmailAddress),
    Phone(String),
}

fn contact(body: &Verify) -> Result<Contact, ApiError> {
    match (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref())) {
        (Some(email), None) => request::email(email).map(Contact::Email).map_err(|_malformed| {
            ApiError::unprocessable("validation_failed", "Invalid email format")
        }),
        (None, Some(phone)) => request::phone(phone).map(Contact::Phone),
        _ => {
            let message = "Only an email address or phone number should be provided on verify";
            Err(ApiError::invalid(message))
        }
    }
}
