//! POST /invite: an account without a password, and a mail with a link that opens it.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::app::{self, App};
use crate::http::admin::key::Administrator;
use crate::http::admin::users::record;
use crate::http::code_mail::{self, LinkWish};
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::{self, Body, Parameters, parameter};
use crate::repository::audit::Action;
use crate::repository::codes::Purpose;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(super) struct Invitation {
    email: Option<String>,
    data: Option<Map<String, Value>>,
}

pub(super) async fn invite(
    State(app): State<App>,
    administrator: Administrator,
    parameters: Parameters,
    Body(body): Body<Invitation>,
) -> Result<Json<Value>, ApiError> {
    let email = request::email(body.email.as_deref().unwrap_or_default())?;
    let redirect_to = request::redirect_to(&app, parameter(&parameters, "redirect_to"));
    let wish = LinkWish { redirect_to, ..LinkWish::default() };
    let (shared, limits) = (app.clone(), AddressLimits::of(&email, &app.codes));
    let user = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, administrator) = (shared.clone(), administrator.clone());
            let (email, limits, wish) = (email.clone(), limits.clone(), wish.clone());
            let data = body.data.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let limited = LimitedAction::InviteMail;
                if let Some(seconds) = limits.check_and_count(tx, limited, now).await? {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let mut user = match users::lock_by_email(tx.connection(), &email).await? {
                    Some(user) if user.email_confirmed_at.is_some() => {
                        return Err(ApiError::email_exists());
                    }
                    Some(user) => user,
                    None => {
                        let new = User::new(&email, json!({}), now);
                        users::insert(tx.connection(), &new).await?;
                        new
                    }
                };
                user.user_metadata = request::user_metadata(&app, &user.user_metadata, data)?;
                // A password that was there before may be a stranger's.
                user.password_hash = None;
                user.updated_at = now;
                record(tx, &administrator, (Action::Invited, user.user_id), now).await?;
                code_mail::issue(tx, &mut user, Purpose::Invite, &wish, now).await?;
                Ok::<_, ApiError>(user)
            })
        })
        .await?;
    Ok(Json(objects::user(&user)))
}
