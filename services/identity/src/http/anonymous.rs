//! POST /signup without address and phone: an account that only this client can use, until its
//! person adds an address, a phone or another identity.

use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::error::ApiError;
use crate::http::{captcha, objects, request};
use crate::repository::limits;
use crate::repository::sessions::{self, AuthMethod, Device};
use crate::repository::users::{self, User};

pub(crate) async fn sign_up(
    app: &App,
    data: Option<Map<String, Value>>,
    (worked, device): (bool, Device),
) -> Result<Response, ApiError> {
    if !app.features.anonymous {
        let message = "Anonymous sign-ins are disabled";
        return Err(ApiError::unprocessable("anonymous_provider_disabled", message));
    }
    let log = |outcome, about| {
        security_log::write(Kind::SignUp, outcome, Method::Nothing, about);
    };
    if limits::count_sign_up(&app.spray, worked).is_err() {
        log(Outcome::Limited, About::NoAccount);
        return Err(captcha::limited(app, "over_request_rate_limit").await);
    }
    let user_metadata = request::user_metadata(app, &json!({}), data)?;
    let opened = app
        .store
        .write(app::metadata(), move |tx| {
            let (user_metadata, device) = (user_metadata.clone(), device.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                let mut user = User::blank(user_metadata, now);
                user.is_anonymous = true;
                users::insert(tx.connection(), &user).await?;
                let method = AuthMethod::Named("anonymous");
                Ok::<_, ApiError>(sessions::open(tx, user, (method, &device), now).await?)
            })
        })
        .await?;
    log(Outcome::Done, About::Account(opened.user.user_id));
    objects::session(app, &opened)
}
