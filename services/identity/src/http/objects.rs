//! The JSON objects of the contract: user and session.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::app::App;
use crate::guard::caller::Caller;
use crate::guard::device;
use crate::http::error::ApiError;
use crate::repository::factors::FactorSummary;
use crate::repository::identities::Identity;
use crate::repository::sessions::OpenedSession;
use crate::repository::users::User;
use crate::tokens::token::{AUTHENTICATED, Subject, TokenError};

/// The user object, as its owner sees it.
pub(crate) fn user(user: &User) -> Value {
    let mut object = json!({
        "id": user.user_id,
        "aud": AUTHENTICATED,
        "role": AUTHENTICATED,
        "email": user.email_text(),
        "phone": user.phone.as_deref().unwrap_or_default(),
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "identities": user.identities.iter().map(identity).collect::<Vec<_>>(),
        "created_at": user.created_at,
        "updated_at": user.updated_at,
        "is_anonymous": user.is_anonymous,
    });
    extend(&mut object, known_times(user));
    let changes = [("new_email", &user.new_email), ("new_phone", &user.new_phone)];
    extend(&mut object, changes.map(|(name, value)| (name, value.as_ref().map(|it| json!(it)))));
    let factors =
        (!user.factors.is_empty()).then(|| user.factors.iter().map(factor).collect::<Value>());
    extend(&mut object, [("factors", factors)]);
    object
}

/// A second factor of a user.
pub(crate) fn factor(factor: &FactorSummary) -> Value {
    let mut object = json!({
        "id": factor.factor_id,
        "factor_type": factor.factor_type,
        "status": factor.status,
        "phone": factor.phone.as_deref().unwrap_or_default(),
        "created_at": factor.created_at,
        "updated_at": factor.updated_at,
        "last_challenged_at": factor.last_challenged_at,
    });
    let name = (!factor.friendly_name.is_empty()).then(|| json!(factor.friendly_name));
    extend(&mut object, [("friendly_name", name)]);
    object
}

/// The times of an account under the contract's names.
fn known_times(user: &User) -> impl Iterator<Item = (&'static str, Option<Value>)> + use<> {
    let confirmed = [user.email_confirmed_at, user.phone_confirmed_at].into_iter().flatten().min();
    [
        ("email_confirmed_at", user.email_confirmed_at),
        ("phone_confirmed_at", user.phone_confirmed_at),
        ("confirmed_at", confirmed),
        ("invited_at", user.invited_at),
        ("confirmation_sent_at", user.confirmation_sent_at),
        ("recovery_sent_at", user.recovery_sent_at),
        ("email_change_sent_at", user.email_change_sent_at),
        ("phone_change_sent_at", user.phone_change_sent_at),
        ("reauthentication_sent_at", user.reauthentication_sent_at),
        ("last_sign_in_at", user.last_sign_in_at),
        ("banned_until", user.banned_until_at),
        ("deleted_at", user.deleted_at),
    ]
    .into_iter()
    .map(|(name, at)| (name, at.map(|at| json!(at))))
}

/// Adds the fields that have a value.
fn extend(object: &mut Value, fields: impl IntoIterator<Item = (&'static str, Option<Value>)>) {
    let known = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    if let Some(object) = object.as_object_mut() {
        object.extend(known);
    }
}

/// The user object of an account whose address is not proved, with the secret that later proves who
/// created it.
pub(crate) fn unproved_user(app: &App, account: &User) -> Value {
    let mut object = user(account);
    if let Some(object) = object.as_object_mut() {
        let secret = app.codes.sign_up_secret(account.user_id);
        object.insert("sign_up_secret".to_owned(), json!(secret));
    }
    object
}

/// The user object of the contract for a sign-up with a known address: no identities and no role,
/// by which some clients know it.
pub(crate) fn repeated_sign_up(account: &User) -> Value {
    let mut object = user(account);
    extend(&mut object, [("identities", Some(json!([]))), ("role", Some(json!("")))]);
    object
}

/// An identity of a user.
fn identity(identity: &Identity) -> Value {
    let mut object = json!({
        "identity_id": identity.identity_id,
        "id": identity.provider_id,
        "user_id": identity.user_id,
        "identity_data": identity.identity_data,
        "provider": identity.provider,
        "created_at": identity.created_at,
        "updated_at": identity.updated_at,
    });
    let email = identity.email.as_ref().map(|email| json!(email));
    let used = identity.last_sign_in_at.map(|at| json!(at));
    extend(&mut object, [("email", email), ("last_sign_in_at", used)]);
    object
}

/// The tokens of an opened or refreshed session.
pub(crate) struct SessionTokens {
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
    pub(crate) expires_at: i64,
}

pub(crate) fn tokens(app: &App, opened: &OpenedSession) -> Result<SessionTokens, TokenError> {
    // A token goes to every service, and none needs names or a phone. Our own pages take those from
    // the user beside it; clients of the contract may read them in the token.
    let (no_data, is_for_any) = (json!({}), app.policy.is_for_any());
    let subject = Subject {
        user_id: opened.user.user_id,
        email: opened.user.email_text(),
        email_verified: opened.user.email_proved_at.is_some(),
        phone: opened.user.phone.as_deref().filter(|_| is_for_any).unwrap_or_default(),
        app_metadata: &opened.user.app_metadata,
        user_metadata: if is_for_any { &opened.user.user_metadata } else { &no_data },
        session_id: opened.session.session_id,
        proofs: &opened.session.proofs,
        aal: &opened.session.aal,
        has_second_factor: opened.user.has_second_factor(),
        is_anonymous: opened.user.is_anonymous,
    };
    Ok(SessionTokens {
        access_token: app.tokens.sign(&subject, opened.now)?,
        refresh_token: opened.refresh_token.text(),
        expires_at: opened.now.seconds() + app.tokens.lifetime_seconds(),
    })
}

/// The session response; it must not be cached.
pub(crate) fn session(app: &App, opened: &OpenedSession) -> Result<Response, ApiError> {
    let tokens = tokens(app, opened)?;
    let mut body = json!({
        "access_token": tokens.access_token,
        "token_type": "bearer",
        "expires_in": app.tokens.lifetime_seconds(),
        "expires_at": tokens.expires_at,
        "refresh_token": tokens.refresh_token,
        "user": user(&opened.user),
    });
    // An extension of the contract: the account has no password any more, because its address was
    // proved by another client than the one that signed up. The site's pages ask for a new one.
    let needed = opened.password_removed.then_some(json!(true));
    extend(&mut body, [("password_needed", needed)]);
    let mut response = ([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response();
    remember_device(app, &opened.user, &mut response);
    Ok(response)
}

/// Gives the client a device token for the account, so that later it has limits of its own.
fn remember_device(app: &App, user: &User, response: &mut Response) {
    let Some(email) = user.address() else { return };
    let tokens = device::renew(Caller::current().devices(), &email, &app.codes);
    if let Ok(tokens) = HeaderValue::from_str(&tokens) {
        response.headers_mut().insert(device::HEADER, tokens);
    }
}
