//! POST /admin/generate_link: a code whose link and digits go to the administrator in place of a
//! mail.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::admin::key::Administrator;
use crate::http::admin::users::record;
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::{self, Body, Parameters, non_empty, parameter};
use crate::repository::audit::Action;
use crate::repository::codes::{self, NewCode, Purpose};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(super) struct LinkFields {
    r#type: Option<String>,
    email: Option<String>,
    new_email: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
}

/// A checked wish for a link.
#[derive(Clone)]
struct LinkOrder {
    purpose: Purpose,
    email: EmailAddress,
    /// For changes of address.
    new_email: Option<EmailAddress>,
    /// For sign-ups.
    password_hash: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
}

pub(super) async fn generate(
    State(app): State<App>,
    administrator: Administrator,
    parameters: Parameters,
    Body(fields): Body<LinkFields>,
) -> Result<Json<Value>, ApiError> {
    let wanted = check(&app, &parameters, fields).await?;
    let shared = app.clone();
    let (user, purpose, code_id, redirect_to) = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, administrator) = (shared.clone(), administrator.clone());
            let wanted = wanted.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                let (user, purpose) = prepare(tx, &app, &wanted, now).await?;
                let action = match purpose {
                    Purpose::Invite => Action::Invited,
                    Purpose::Signup => Action::SignedUp,
                    _ => Action::RecoveryRequested,
                };
                record(tx, &administrator, (action, user.user_id), now).await?;
                let redirect_to = wanted.redirect_to.as_deref();
                let sent_to = user.new_email.as_deref();
                let sent_to = sent_to.filter(|_| purpose == Purpose::EmailChangeNew);
                let digits = purpose.digits_for(false);
                let code = NewCode { redirect_to, sent_to, digits, ..NewCode::default() };
                let code_id = codes::insert(tx, (user.user_id, purpose), &code, now).await?;
                Ok::<_, ApiError>((user, purpose, code_id.uuid(), wanted.redirect_to))
            })
        })
        .await?;
    let token = app.codes.link_token(code_id);
    let link = app.redirects.link(&token, purpose.link_type(), redirect_to.as_deref());
    let mut shown = objects::user(&user);
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("action_link".to_owned(), json!(link.as_str()));
        shown.insert(
            "email_otp".to_owned(),
            json!(app.codes.digits(code_id, purpose.digits_for(false))),
        );
        shown.insert("hashed_token".to_owned(), json!(token));
        shown.insert("verification_type".to_owned(), json!(purpose.word()));
        let back = redirect_to.unwrap_or_else(|| app.redirects.site().to_string());
        shown.insert("redirect_to".to_owned(), json!(back));
    }
    Ok(Json(shown))
}

async fn check(
    app: &App,
    parameters: &Parameters,
    fields: LinkFields,
) -> Result<LinkOrder, ApiError> {
    let email = request::email(fields.email.as_deref().unwrap_or_default())?;
    let kind = fields.r#type.as_deref().unwrap_or_default();
    let purpose = match kind {
        "signup" => Purpose::Signup,
        "invite" => Purpose::Invite,
        "recovery" => Purpose::Recovery,
        "magiclink" => Purpose::Magiclink,
        "email_change_current" => Purpose::EmailChangeCurrent,
        "email_change_new" => Purpose::EmailChangeNew,
        other => {
            let named = request::quotable(other);
            let message = format!("Invalid email action link type requested: {named}");
            return Err(ApiError::invalid(message));
        }
    };
    let changes = matches!(purpose, Purpose::EmailChangeCurrent | Purpose::EmailChangeNew);
    let new_email = match changes {
        true => Some(request::email(fields.new_email.as_deref().unwrap_or_default())?),
        false => None,
    };
    let known = users::by_email(app.store.pool(), &email).await?;
    let password_hash = match non_empty(fields.password.as_deref()) {
        Some(password) if purpose == Purpose::Signup => {
            request::new_password(app, password, Some(&email), &json!(fields.data))?;
            Some(app.hasher.hash(password).await?)
        }
        None if purpose == Purpose::Signup && known.is_none() => {
            return Err(ApiError::invalid("Signup requires a valid password"));
        }
        _ => None,
    };
    let asked = parameter(parameters, "redirect_to").or(fields.redirect_to.as_deref());
    let redirect_to = request::redirect_to(app, asked);
    Ok(LinkOrder { purpose, email, new_email, password_hash, data: fields.data, redirect_to })
}

/// The account of the link, changed as the link needs it, and what its code is for.
async fn prepare(
    tx: &mut Tx,
    app: &App,
    wanted: &LinkOrder,
    now: Timestamp,
) -> Result<(User, Purpose), ApiError> {
    let known = users::lock_by_email(tx.connection(), &wanted.email).await?;
    let purpose = match (wanted.purpose, &known) {
        // As in the contract, a magic link for an unknown address is that of a sign-up.
        (Purpose::Magiclink, None) => Purpose::Signup,
        (purpose @ (Purpose::Signup | Purpose::Invite), _) => purpose,
        (_, None) => {
            let message = "User with this email not found";
            return Err(ApiError::new(StatusCode::NOT_FOUND, "user_not_found", message));
        }
        (purpose, Some(_)) => purpose,
    };
    let mut user = match known {
        Some(user) => user,
        None => new_account(tx, wanted, now).await?,
    };
    match purpose {
        Purpose::Signup | Purpose::Invite => {
            if user.email_confirmed_at.is_some() {
                return Err(ApiError::email_exists());
            }
            user.user_metadata =
                request::user_metadata(app, &user.user_metadata, wanted.data.clone())?;
            user.confirmation_sent_at = Some(now);
            // A password that was there before may be a stranger's.
            user.password_hash = wanted.password_hash.clone();
            if purpose == Purpose::Invite {
                user.invited_at = Some(now);
            }
        }
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => {
            if let Some(new) = &wanted.new_email {
                let owner = users::by_email(tx.connection(), new).await?;
                if owner.is_some_and(|owner| owner.user_id != user.user_id) {
                    return Err(ApiError::email_exists());
                }
                user.new_email = Some(new.as_str().to_owned());
            }
            user.email_change_sent_at = Some(now);
            user.email_change_confirmed = 0;
        }
        _recovery => user.recovery_sent_at = Some(now),
    }
    user.updated_at = now;
    users::update(tx.connection(), &user).await?;
    Ok((user, purpose))
}

async fn new_account(tx: &mut Tx, wanted: &LinkOrder, now: Timestamp) -> Result<User, ApiError> {
    let user = User::new(&wanted.email, json!({}), now);
    users::insert(tx.connection(), &user).await?;
    Ok(user)
}
