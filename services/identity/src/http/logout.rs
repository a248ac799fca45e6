//! POST /logout: ends sessions, which also invalidates their access tokens at this server.

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::request::{Parameters, parameter, quotable};
use crate::repository::sessions;

#[derive(Clone, Copy)]
enum Scope {
    Global,
    Local,
    Others,
}

pub(crate) async fn logout(
    State(app): State<App>,
    parameters: Parameters,
    signed_in: SignedIn,
) -> Result<StatusCode, ApiError> {
    let scope = match parameter(&parameters, "scope") {
        None | Some("global") => Scope::Global,
        Some("local") => Scope::Local,
        Some("others") => Scope::Others,
        Some(other) => {
            let message = format!("Unsupported logout scope \"{}\"", quotable(other));
            return Err(ApiError::invalid(message));
        }
    };
    let (user_id, session_id) = (signed_in.user.user_id, signed_in.session.session_id);
    app.store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let rows = tx.connection();
                match scope {
                    Scope::Global => sessions::end_all(rows, user_id, None).await?,
                    Scope::Local => sessions::end(rows, session_id).await?,
                    Scope::Others => sessions::end_all(rows, user_id, Some(session_id)).await?,
                }
                Ok::<(), ApiError>(())
            })
        })
        .await?;
    security_log::write(Kind::SignOut, Outcome::Done, Method::Session, About::Account(user_id));
    Ok(StatusCode::NO_CONTENT)
}
