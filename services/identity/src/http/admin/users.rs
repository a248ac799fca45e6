//! /admin/users: accounts are listed, read, made and changed.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::admin::fields::{Change, UserFields};
use crate::http::admin::key::Administrator;
use crate::http::admin::paging::Page;
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::{Body, Parameters, parameter};
use crate::repository::audit::{self, Action};
use crate::repository::notices::{self, NoticeKind};
use crate::repository::sessions::Device;
use crate::repository::users::{self, User};
use crate::repository::{codes, contacts, sessions, unconfirmed, user_pages};
use crate::tokens::token::AUTHENTICATED;

pub(super) async fn list(
    State(app): State<App>,
    _administrator: Administrator,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let page = Page::of(&parameters)?;
    let search = parameter(&parameters, "filter").unwrap_or_default();
    let rows = app.store.pool();
    let ids = user_pages::ids(rows, search, page.bounds()).await?;
    let found = users::by_ids(rows, &ids).await?;
    let total = user_pages::count(rows, search).await?;
    let shown: Vec<Value> = found.iter().map(objects::user).collect();
    let headers = page.headers("/admin/users", &parameters, total);
    Ok((headers, Json(json!({ "users": shown, "aud": AUTHENTICATED }))).into_response())
}

pub(super) async fn read(
    State(app): State<App>,
    _administrator: Administrator,
    Path(user_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let user_id = parse_id(&user_id)?;
    let user = users::by_id(app.store.pool(), user_id).await?.ok_or_else(not_found)?;
    Ok(Json(objects::user(&user)))
}

/// Makes an account. Without a password it has none; the person signs in by a code.
pub(super) async fn create(
    State(app): State<App>,
    administrator: Administrator,
    Body(fields): Body<UserFields>,
) -> Result<Json<Value>, ApiError> {
    let change = Change::of(&app, fields, None).await?;
    let shared = app.clone();
    let user = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, administrator) = (shared.clone(), administrator.clone());
            let change = change.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                check_free(tx, &change, None).await?;
                let mut user = User::blank(json!({}), now);
                if let Some(id) = change.id {
                    if users::by_id(tx.connection(), id).await?.is_some() {
                        return Err(ApiError::unprocessable("user_already_exists", ID_TAKEN));
                    }
                    user.user_id = id;
                }
                change.apply(tx, &app, &mut user, now).await?;
                unconfirmed::replace(tx.connection(), &user).await?;
                record(tx, &administrator, (Action::SignedUp, user.user_id), now).await?;
                Ok::<_, ApiError>(user)
            })
        })
        .await?;
    Ok(Json(objects::user(&user)))
}

const ID_TAKEN: &str = "A user with this id has already been registered";

/// Changes an account. A new password ends its sessions; with a new address or phone the codes that
/// were sent to the former ones are void. What proves the address ends all that opened the account.
pub(super) async fn update(
    State(app): State<App>,
    administrator: Administrator,
    Path(user_id): Path<String>,
    Body(fields): Body<UserFields>,
) -> Result<Json<Value>, ApiError> {
    let user_id = parse_id(&user_id)?;
    let known = users::by_id(app.store.pool(), user_id).await?.ok_or_else(not_found)?;
    let change = Change::of(&app, fields, Some(&known)).await?;
    let sets_password = change.password_hash.is_some();
    let shared = app.clone();
    let user = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, administrator) = (shared.clone(), administrator.clone());
            let change = change.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let mut user = user.ok_or_else(not_found)?;
                check_free(tx, &change, Some(user_id)).await?;
                let former = user.email.clone();
                change.apply(tx, &app, &mut user, now).await?;
                users::update(tx.connection(), &user).await?;
                let password = change.password_hash.is_some();
                if password {
                    sessions::end_all(tx.connection(), user_id, None).await?;
                }
                if password || change.email.is_some() || change.phone.is_some() {
                    codes::delete_all(tx.connection(), user_id).await?;
                }
                tell(tx, &change, (former, &user), now).await?;
                record(tx, &administrator, (Action::Modified, user_id), now).await?;
                Ok::<_, ApiError>(user)
            })
        })
        .await?;
    if sets_password {
        let about = About::Account(user_id);
        security_log::write(Kind::PasswordChange, Outcome::Done, Method::ServiceKey, about);
    }
    Ok(Json(objects::user(&user)))
}

/// Tells the person what was changed.
async fn tell(
    tx: &mut Tx,
    change: &Change,
    (former, user): (Option<String>, &User),
    now: Timestamp,
) -> Result<(), ApiError> {
    let device = Device::default();
    if change.password_hash.is_some() {
        let what = (user.user_id, NoticeKind::PasswordChanged);
        notices::tell_of_account(tx, what, &device, now).await?;
    }
    if let (Some(former), Some(new)) = (former.as_deref(), user.email.as_deref())
        && former != new
    {
        notices::tell_new_address(tx, user.user_id, (former, new), &device, now).await?;
    }
    if change.phone.is_some() {
        let what = (user.user_id, NoticeKind::PhoneChanged);
        notices::tell_of_account(tx, what, &device, now).await?;
    }
    Ok(())
}

/// Whether no other account has the address or phone. An account that was never confirmed does not
/// keep its address: a stranger may have signed up with it.
async fn check_free(tx: &mut Tx, change: &Change, own: Option<Uuid>) -> Result<(), ApiError> {
    if let Some(email) = &change.email {
        let known = users::by_email(tx.connection(), email).await?;
        let other = known.filter(|known| Some(known.user_id) != own);
        if other.as_ref().is_some_and(|other| other.email_confirmed_at.is_some()) {
            let message = "A user with this email address has already been registered";
            return Err(ApiError::unprocessable("email_exists", message));
        }
        if let Some(other) = other {
            unconfirmed::give_way(tx.connection(), other).await?;
        }
    }
    if let Some(phone) = &change.phone {
        let owner = contacts::owner_of_phone(tx.connection(), phone).await?;
        if owner.is_some_and(|owner| Some(owner) != own) {
            let message = "Phone number already registered by another user";
            return Err(ApiError::unprocessable("phone_exists", message));
        }
    }
    Ok(())
}

/// Writes an entry about an account into the audit log.
pub(super) async fn record(
    tx: &mut Tx,
    administrator: &Administrator,
    (action, user_id): (Action, Uuid),
    now: Timestamp,
) -> Result<(), ApiError> {
    let about = json!({ "user_id": user_id });
    audit::record(tx.connection(), &administrator.actor(), (action, &about), now).await?;
    Ok(())
}

pub(super) fn parse_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_malformed| {
        ApiError::new(StatusCode::NOT_FOUND, "validation_failed", "user_id must be an UUID")
    })
}

pub(super) fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "user_not_found", "User not found")
}
