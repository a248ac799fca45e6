//! The JSON objects of the contract: user and session.

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::app::App;
use crate::http::error::ApiError;
use crate::repository::sessions::OpenedSession;
use crate::repository::users::User;
use crate::tokens::token::{AUTHENTICATED, LIFETIME_SECONDS, Subject, TokenError, app_metadata};

/// The user object, as its owner sees it.
pub(crate) fn user(user: &User) -> Value {
    let mut object = json!({
        "id": user.user_id,
        "aud": AUTHENTICATED,
        "role": AUTHENTICATED,
        "email": user.email,
        "phone": "",
        "app_metadata": app_metadata(),
        "user_metadata": user.user_metadata,
        "identities": [identity(user)],
        "created_at": user.created_at,
        "updated_at": user.updated_at,
        "is_anonymous": false,
    });
    let sometimes = [
        ("email_confirmed_at", user.email_confirmed_at),
        ("confirmed_at", user.email_confirmed_at),
        ("confirmation_sent_at", user.confirmation_sent_at),
        ("recovery_sent_at", user.recovery_sent_at),
        ("last_sign_in_at", user.last_sign_in_at),
        ("banned_until", user.banned_until_at),
    ];
    if let Some(object) = object.as_object_mut() {
        let known = sometimes.into_iter().filter_map(|(name, at)| Some((name, at?)));
        object.extend(known.map(|(name, at)| (name.to_owned(), json!(at))));
    }
    object
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

fn identity(user: &User) -> Value {
    json!({
        "identity_id": user.identity_id,
        "id": user.user_id,
        "user_id": user.user_id,
        "identity_data": {
            "sub": user.user_id,
            "email": user.email,
            "email_verified": user.email_confirmed_at.is_some(),
            "phone_verified": false,
        },
        "provider": "email",
        "last_sign_in_at": user.last_sign_in_at,
        "created_at": user.created_at,
        "updated_at": user.updated_at,
        "email": user.email,
    })
}

/// The tokens of an opened or refreshed session.
pub(crate) struct SessionTokens {
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
    pub(crate) expires_at: i64,
}

pub(crate) fn tokens(app: &App, opened: &OpenedSession) -> Result<SessionTokens, TokenError> {
    let subject = Subject {
        user_id: opened.user.user_id,
        email: &opened.user.email,
        email_verified: opened.user.email_proved_at.is_some(),
        user_metadata: &opened.user.user_metadata,
        session_id: opened.session.session_id,
        proofs: &opened.session.proofs,
    };
    Ok(SessionTokens {
        access_token: app.tokens.sign(&subject, opened.now)?,
        refresh_token: opened.refresh_token.text(),
        expires_at: opened.now.seconds() + LIFETIME_SECONDS,
    })
}

/// The session response; it must not be cached.
pub(crate) fn session(app: &App, opened: &OpenedSession) -> Result<Response, ApiError> {
    let tokens = tokens(app, opened)?;
    let mut body = json!({
        "access_token": tokens.access_token,
        "token_type": "bearer",
        "expires_in": LIFETIME_SECONDS,
        "expires_at": tokens.expires_at,
        "refresh_token": tokens.refresh_token,
        "user": user(&opened.user),
    });
    // An extension of the contract: the account has no password, because its address was proved by
    // another client than the one that signed up. The site's pages then ask for a new one.
    if let (None, Some(body)) = (&opened.user.password_hash, body.as_object_mut()) {
        body.insert("password_needed".to_owned(), json!(true));
    }
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response())
}
