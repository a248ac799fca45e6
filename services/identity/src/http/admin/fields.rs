//! What an administrator says of an account, checked.

use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::accounts::imported;
use crate::app::App;
use crate::http::admin::ban::Ban;
use crate::http::error::ApiError;
use crate::http::proving::{self, Shown};
use crate::http::request::{self, non_empty};
use crate::repository::users::User;
use crate::tokens::token::AUTHENTICATED;

/// Maximum bytes of app metadata, which is part of every access token.
const METADATA_BYTES_MAX: usize = 2048;

/// The fields of a new or changed account.
#[derive(Deserialize)]
pub(super) struct UserFields {
    id: Option<String>,
    aud: Option<String>,
    role: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    password_hash: Option<String>,
    email_confirm: Option<bool>,
    phone_confirm: Option<bool>,
    user_metadata: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    ban_duration: Option<String>,
}

/// A checked change of an account.
#[derive(Clone)]
pub(super) struct Change {
    pub(super) id: Option<Uuid>,
    pub(super) email: Option<EmailAddress>,
    pub(super) phone: Option<String>,
    pub(super) password_hash: Option<String>,
    email_confirm: bool,
    phone_confirm: bool,
    pub(super) user_metadata: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    ban: Option<Ban>,
}

impl Change {
    /// Checks what is said. `known` is the account that is changed.
    pub(super) async fn of(
        app: &App,
        fields: UserFields,
        known: Option<&User>,
    ) -> Result<Self, ApiError> {
        only(fields.role.as_deref(), "role")?;
        only(fields.aud.as_deref(), "aud")?;
        let email = non_empty(fields.email.as_deref()).map(request::email).transpose()?;
        let phone = non_empty(fields.phone.as_deref()).map(request::phone).transpose()?;
        if known.is_none() && email.is_none() && phone.is_none() {
            let message = "Cannot create a user without either an email or phone";
            return Err(ApiError::invalid(message));
        }
        let ban = non_empty(fields.ban_duration.as_deref()).map(Ban::parse).transpose()?;
        let id = non_empty(fields.id.as_deref()).map(custom_id).transpose()?;
        let about = json!(fields.user_metadata);
        let address = email.clone().or_else(|| known.and_then(User::address));
        let password = (fields.password.as_deref(), fields.password_hash.as_deref());
        let password_hash = password_hash(app, password, (address, &about)).await?;
        Ok(Self {
            id,
            email,
            phone,
            password_hash,
            email_confirm: fields.email_confirm.unwrap_or_default(),
            phone_confirm: fields.phone_confirm.unwrap_or_default(),
            user_metadata: fields.user_metadata,
            app_metadata: fields.app_metadata,
            ban,
        })
    }

    /// Changes the account, which is stored by the caller. Who may have its address and phone is
    /// checked there, too. What is confirmed by this word alone is proved by the rule of all
    /// proofs, so that only what the same call sets opens the account afterwards.
    pub(super) async fn apply(
        &self,
        tx: &mut Tx,
        app: &App,
        user: &mut User,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        if let Some(email) = &self.email
            && user.email.as_deref() != Some(email.as_str())
        {
            user.replace_address(email, now);
        }
        if self.email_confirm && user.email.is_some() {
            let removed = proving::prove(tx, user, Shown::Nothing, now).await?;
            keep_where_said(app, user, removed);
        }
        if let Some(phone) = &self.phone
            && user.phone.as_deref() != Some(phone)
        {
            user.replace_phone(phone, now);
        }
        if self.phone_confirm && user.phone.is_some() {
            let removed = proving::prove_phone(tx, user, Shown::Nothing, now).await?;
            keep_where_said(app, user, removed);
        }
        if let Some(hash) = &self.password_hash {
            user.password_hash = Some(hash.clone());
        }
        user.user_metadata =
            request::user_metadata(app, &user.user_metadata, self.user_metadata.clone())?;
        if let Some(said) = &self.app_metadata {
            user.app_metadata = app_metadata(&user.app_metadata, said)?;
        }
        if let Some(ban) = self.ban {
            user.banned_until_at = ban.until(now);
        }
        user.updated_at = now;
        Ok(())
    }
}

/// Gives a removed password back where the operator's settings keep those of sign-ups.
fn keep_where_said(app: &App, user: &mut User, removed: Option<String>) {
    if app.policy.keep_sign_up_password && removed.is_some() {
        user.password_hash = removed;
    }
}

/// Audience and role are the same for every account: another role would be in access tokens, which
/// other services read.
fn only(said: Option<&str>, name: &str) -> Result<(), ApiError> {
    match non_empty(said) {
        None | Some(AUTHENTICATED) => Ok(()),
        Some(_) => Err(ApiError::invalid(format!("{name} must be {AUTHENTICATED}"))),
    }
}

fn custom_id(text: &str) -> Result<Uuid, ApiError> {
    let id: Uuid = text
        .parse()
        .map_err(|_malformed| ApiError::invalid("ID must conform to the uuid v4 format"))?;
    if id.is_nil() { Err(ApiError::invalid("ID cannot be a nil uuid")) } else { Ok(id) }
}

async fn password_hash(
    app: &App,
    (password, hash): (Option<&str>, Option<&str>),
    (address, about): (Option<EmailAddress>, &Value),
) -> Result<Option<String>, ApiError> {
    match (non_empty(password), non_empty(hash)) {
        (Some(_), Some(_)) => {
            Err(ApiError::invalid("Only a password or a password hash should be provided"))
        }
        (None, None) => Ok(None),
        (Some(password), None) => {
            request::new_password(app, password, address.as_ref(), about)?;
            Ok(Some(app.hasher.hash(password).await?))
        }
        (None, Some(hash)) if imported::is_usable(hash) => Ok(Some(hash.to_owned())),
        (None, Some(_)) => {
            let message = "A password hash must be a PHC string of argon2, within 64 MiB, \
                10 passes and 4 lanes";
            Err(ApiError::invalid(message))
        }
    }
}

/// Merges app metadata over what was there; null removes a field.
fn app_metadata(before: &Value, said: &Map<String, Value>) -> Result<Value, ApiError> {
    let mut fields = before.as_object().cloned().unwrap_or_default();
    for (name, value) in said {
        if name.contains('\0') || value.to_string().contains("\\u0000") {
            return Err(ApiError::invalid("App metadata cannot hold the character zero"));
        }
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    let metadata = Value::Object(fields);
    if metadata.to_string().len() > METADATA_BYTES_MAX {
        return Err(ApiError::invalid("App metadata cannot be longer than 2048 bytes"));
    }
    Ok(metadata)
}
