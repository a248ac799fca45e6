//! DELETE /admin/users/{user_id}: the account goes with everything that belongs to it, or its row
//! stays without anything that names the person.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use eventstore::Tx;
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::{self, App};
use crate::http::admin::key::Administrator;
use crate::http::admin::users::{not_found, parse_id, record};
use crate::http::error::ApiError;
use crate::repository::audit::Action;
use crate::repository::users::{self, User};
use crate::repository::{codes, factors, identities, notices, passkeys, recovery_codes, sessions};

#[derive(Deserialize, Default)]
struct Removal {
    #[serde(default)]
    should_soft_delete: bool,
}

pub(super) async fn remove(
    State(app): State<App>,
    administrator: Administrator,
    Path(user_id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, ApiError> {
    let user_id = parse_id(&user_id)?;
    let is_known = users::by_id(app.store.pool(), user_id).await?.is_some();
    let asked: Removal = match (is_known, body.is_empty()) {
        (false, _) => return Err(not_found()),
        (true, true) => Removal::default(),
        (true, false) => serde_json::from_slice(&body).map_err(|_malformed| {
            ApiError::bad("bad_json", "Could not parse request body as JSON")
        })?,
    };
    app.store
        .write(app::metadata(), move |tx| {
            let administrator = administrator.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let user = user.ok_or_else(not_found)?;
                record(tx, &administrator, (Action::Deleted, user_id), now).await?;
                if asked.should_soft_delete {
                    empty(tx, user, now).await
                } else {
                    Ok(users::delete(tx.connection(), user_id).await?)
                }
            })
        })
        .await?;
    Ok(Json(json!({})))
}

/// Removes everything that names the person or lets them in. The contract keeps hashes of address
/// and phone; these rows keep none.
async fn empty(tx: &mut Tx, user: User, now: Timestamp) -> Result<(), ApiError> {
    if user.deleted_at.is_some() {
        return Ok(());
    }
    let user_id = user.user_id;
    sessions::end_all(tx.connection(), user_id, None).await?;
    codes::delete_all(tx.connection(), user_id).await?;
    identities::delete_all(tx.connection(), user_id).await?;
    factors::delete_all(tx.connection(), user_id).await?;
    passkeys::delete_all(tx.connection(), user_id).await?;
    recovery_codes::delete_all(tx.connection(), user_id).await?;
    notices::delete_all(tx.connection(), user_id).await?;
    let emptied = User {
        user_id,
        identity_id: user.identity_id,
        created_at: user.created_at,
        email_confirmed_at: user.email_confirmed_at,
        phone_confirmed_at: user.phone_confirmed_at,
        deleted_at: Some(now),
        ..User::blank(json!({}), now)
    };
    users::update(tx.connection(), &emptied).await?;
    Ok(())
}
