//! DELETE /user/identities/{identity_id}: the account loses one of its identities, and never the
//! last one. What may be added with a fresh proof only is removed with one, too.

use axum::Json;
use axum::extract::{Path, State};
use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::external::settings::manual_linking;
use crate::http::levels::{self, Changing};
use crate::http::proving::{self, Shown};
use crate::repository::audit::{self, Action, Actor};
use crate::repository::identities::{self, Identity, PHONE};
use crate::repository::sessions::Device;
use crate::repository::users::{self, User};
use crate::repository::{codes, notices};

pub(super) async fn remove(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    Path(identity_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    manual_linking(&app)?;
    let identity_id: Uuid = identity_id.parse().map_err(|_malformed| {
        ApiError::not_found("validation_failed", "identity_id must be an UUID")
    })?;
    let caller = levels::caller(&signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            let device = device.clone();
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                take(tx, changing, identity_id, &device).await
            })
        })
        .await?;
    Ok(Json(json!({})))
}

async fn take(
    tx: &mut Tx,
    changing: Changing,
    identity_id: Uuid,
    device: &Device,
) -> Result<(), ApiError> {
    let known = &changing.user.identities;
    if known.len() <= 1 {
        let message = "User must have at least 1 identity after unlinking";
        return Err(ApiError::unprocessable("single_identity_not_deletable", message));
    }
    let Some(at) = known.iter().position(|identity| identity.identity_id == identity_id) else {
        return Err(ApiError::unprocessable("identity_not_found", "Identity doesn't exist"));
    };
    changing.check_identity(tx, "remove an identity").await?;
    let Changing { mut user, now, .. } = changing;
    let removed = user.identities.remove(at);
    if removed.provider == PHONE {
        user.phone = None;
        user.phone_confirmed_at = None;
    } else {
        take_address_of_the_others(tx, &mut user, (&removed, device), now).await?;
    }
    user.name_providers();
    user.updated_at = now;
    identities::delete(tx.connection(), removed.identity_id).await?;
    users::update(tx.connection(), &user).await?;
    let actor = Actor { id: Some(user.user_id), ..Actor::default() };
    let about = json!({ "user_id": user.user_id, "provider": removed.provider });
    let action = (Action::IdentityUnlinked, &about);
    audit::record(tx.connection(), &actor, action, now).await?;
    Ok(())
}

/// As in the contract, the account's address is that of an identity which it still has. It keeps
/// its own one if another identity has it too. One that its provider has not verified is not taken:
/// the account would be that of the person who reads its mails.
async fn take_address_of_the_others(
    tx: &mut Tx,
    user: &mut User,
    (removed, device): (&Identity, &Device),
    now: Timestamp,
) -> Result<(), ApiError> {
    if removed.email != user.email || user.email.is_none() {
        return Ok(());
    }
    let left: Vec<&Identity> = user.identities.iter().filter(|it| it.email.is_some()).collect();
    if left.iter().any(|identity| identity.email == user.email) {
        return Ok(());
    }
    let verified = |it: &&&Identity| it.identity_data.get("email_verified") == Some(&json!(true));
    let next = left.iter().find(verified).and_then(|identity| identity.email.as_deref());
    let email = next.and_then(EmailAddress::parse);
    if let Some(email) = &email
        && users::by_email(tx.connection(), email).await?.is_some()
    {
        let message = "Unable to unlink identity due to email conflict";
        let code = "email_conflict_identity_not_deletable";
        return Err(ApiError::unprocessable(code, message));
    }
    let former = user.email.take();
    user.email = email.map(|email| email.as_str().to_owned());
    user.email_confirmed_at = None;
    user.email_proved_at = None;
    if user.email.is_some() {
        proving::prove(tx, user, Shown::Account, now).await?;
    }
    if let (Some(former), Some(new)) = (former.as_deref(), user.email.as_deref()) {
        notices::tell_new_address(tx, user.user_id, (former, new), device, now).await?;
    }
    codes::delete_all(tx.connection(), user.user_id).await?;
    Ok(())
}
