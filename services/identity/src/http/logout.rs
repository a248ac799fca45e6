//! POST /logout: ends sessions, which also invalidates their access tokens at this server. Those
//! with a second factor are ended by one of them only.

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
    let level = signed_in.session.aal;
    app.store
        .write(app::metadata(), move |tx| {
            let level = level.clone();
            Box::pin(async move {
                let up_to = (user_id, level.as_str());
                let rows = tx.connection();
                match scope {
                    Scope::Global => sessions::end_up_to(rows, up_to, None).await?,
                    Scope::Local => sessions::end(rows, session_id).await?,
                    Scope::Others => sessions::end_up_to(rows, up_to, Some(session_id)).await?,
                }
                Ok::<(), ApiError>(())
            })
        })
        .await?;
    security_log::write(Kind::SignOut, Outcome::Done, Method::Session, About::Account(user_id));
    Ok(StatusCode::NO_CONTENT)
}
