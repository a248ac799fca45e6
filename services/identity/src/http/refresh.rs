//! The refresh grant: continues a session with new tokens.

use axum::response::Response;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::error::ApiError;
use crate::http::objects;
use crate::repository::sessions::{self, RefreshOutcome};
use crate::tokens::secrets::RefreshToken;

pub(crate) async fn grant(app: &App, token: Option<&str>) -> Result<Response, ApiError> {
    let token = token.and_then(RefreshToken::parse);
    let token = token.ok_or_else(|| ApiError::invalid("Refresh token is not valid"))?;
    let refreshed = app
        .store
        .write(app::metadata(), move |tx| {
            let token = token.clone();
            // A reused token ends its session, which must be committed, so it is not an error here.
            Box::pin(async move { Ok::<_, ApiError>(sessions::refresh(tx, &token).await?) })
        })
        .await?;
    let log = |outcome, about| {
        security_log::write(Kind::Refresh, outcome, Method::RefreshToken, about);
    };
    let (code, message) = match refreshed {
        RefreshOutcome::Continued(opened) => {
            log(Outcome::Done, About::Account(opened.user.user_id));
            return objects::session(app, &opened);
        }
        RefreshOutcome::Repeated(opened) => {
            let session_id = opened.session.session_id;
            log(Outcome::Done, About::Account(opened.user.user_id));
            tracing::info!(%session_id, "a refresh was repeated, its answer may have been lost");
            return objects::session(app, &opened);
        }
        RefreshOutcome::Unknown => {
            log(Outcome::WrongProof, About::NoAccount);
            ("refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        }
        RefreshOutcome::Expired => ("session_expired", "Invalid Refresh Token: Session Expired"),
        RefreshOutcome::Banned => ("user_banned", "Invalid Refresh Token: User Banned"),
        RefreshOutcome::Reused(session_id) => {
            log(Outcome::Reused, About::NoAccount);
            tracing::warn!(%session_id, "a refresh token came a second time; its session is ended");
            ("refresh_token_already_used", "Invalid Refresh Token: Already Used")
        }
    };
    Err(ApiError::bad(code, message))
}
