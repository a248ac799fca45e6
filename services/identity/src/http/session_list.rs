//! GET /sessions and DELETE /sessions/{session_id}: where an account is signed in. Beyond the
//! contract, whose `logout?scope=others` ends all others.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::device;
use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::repository::session_levels::AAL2;
use crate::repository::session_list::{self, ListedSession};

pub(crate) async fn list(
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, ApiError> {
    let current = signed_in.session.session_id;
    let listed = session_list::of_user(app.store.pool(), signed_in.user.user_id).await?;
    let sessions: Value = listed.iter().map(|session| object(session, current)).collect();
    Ok(Json(json!({ "sessions": sessions })))
}

fn object(session: &ListedSession, current: Uuid) -> Value {
    json!({
        "id": session.session_id,
        "current": session.session_id == current,
        "created_at": session.created_at,
        "last_used_at": session.refreshed_at,
        "aal": session.aal,
        "device": device::words(session.user_agent.as_deref().unwrap_or_default()),
        "network": device::short_network(session.network.as_deref().unwrap_or_default()),
    })
}

pub(crate) async fn end(
    State(app): State<App>,
    signed_in: SignedIn,
    Path(session_id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let session_id: Uuid = session_id.parse().map_err(|_no_id| not_found())?;
    let user_id = signed_in.user.user_id;
    let is_weak = signed_in.session.aal != AAL2;
    let ended = app
        .store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let level = session_list::level(tx.connection(), user_id, session_id).await?;
                if is_weak && level.as_deref() == Some(AAL2) {
                    let message = "AAL2 required to end a session with a second factor";
                    return Err(ApiError::forbidden("insufficient_aal", message));
                }
                Ok::<_, ApiError>(session_list::end(tx.connection(), user_id, session_id).await?)
            })
        })
        .await?;
    if ended { Ok(StatusCode::NO_CONTENT) } else { Err(not_found()) }
}

fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "session_not_found", "Session not found")
}
