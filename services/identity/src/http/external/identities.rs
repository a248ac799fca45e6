//! DELETE /user/identities/{identity_id}: the account loses one of its identities, and never the
//! last one.

use axum::Json;
use axum::extract::{Path, State};
use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::external::settings::manual_linking;
use crate::repository::audit::{self, Action, Actor};
use crate::repository::identities::{self, Identity, PHONE};
use crate::repository::users::{self, User};

pub(super) async fn remove(
    State(app): State<App>,
    signed_in: SignedIn,
    Path(identity_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    manual_linking(&app)?;
    let identity_id: Uuid = identity_id.parse().map_err(|_malformed| {
        ApiError::not_found("validation_failed", "identity_id must be an UUID")
    })?;
    let user_id = signed_in.user.user_id;
    app.store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let user = user.ok_or_else(|| {
                    let message = "User from sub claim in JWT does not exist";
                    ApiError::forbidden("user_not_found", message)
                })?;
                let now = tx.now().await?;
                take(tx, user, identity_id, now).await
            })
        })
        .await?;
    Ok(Json(json!({})))
}

async fn take(
    tx: &mut Tx,
    mut user: User,
    identity_id: Uuid,
    now: Timestamp,
) -> Result<(), ApiError> {
    if user.identities.len() <= 1 {
        let message = "User must have at least 1 identity after unlinking";
        return Err(ApiError::unprocessable("single_identity_not_deletable", message));
    }
    let at = user.identities.iter().position(|identity| identity.identity_id == identity_id);
    let Some(at) = at else {
        return Err(ApiError::unprocessable("identity_not_found", "Identity doesn't exist"));
    };
    let removed = user.identities.remove(at);
    if removed.provider == PHONE {
        user.phone = None;
        user.phone_confirmed_at = None;
    } else {
        take_address_of_the_others(tx, &mut user, &removed, now).await?;
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
/// its own one if another identity has it too.
async fn take_address_of_the_others(
    tx: &mut Tx,
    user: &mut User,
    removed: &Identity,
    now: Timestamp,
) -> Result<(), ApiError> {
    if removed.email != user.email || user.email.is_none() {
        return Ok(());
    }
    let left: Vec<&Identity> = user.identities.iter().filter(|it| it.email.is_some()).collect();
    if left.iter().any(|identity| identity.email == user.email) {
        return Ok(());
    }
    let next = left.first().map(|identity| {
        let verified = identity.identity_data.get("email_verified") == Some(&json!(true));
        (identity.email.as_deref().and_then(EmailAddress::parse), verified)
    });
    let (email, verified) = next.unwrap_or_default();
    if let Some(email) = &email
        && users::by_email(tx.connection(), email).await?.is_some()
    {
        let message = "Unable to unlink identity due to email conflict";
        let code = "email_conflict_identity_not_deletable";
        return Err(ApiError::unprocessable(code, message));
    }
    let proved = (verified && email.is_some()).then_some(now);
    user.email = email.map(|email| email.as_str().to_owned());
    user.email_confirmed_at = proved;
    user.email_proved_at = proved;
    Ok(())
}
