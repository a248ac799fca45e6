//! The password grant. An unknown address, a wrong password and an account without one are told
//! alike, and take as long.

use axum::response::Response;

use crate::address::EmailAddress;
use crate::app::{self, App};
use crate::http::grant::Grant;
use crate::http::request::filled;
use crate::http::{ApiError, objects};
use crate::store::limits::{Limited, Limits};
use crate::store::sessions::{self, Opened, Proof};
use crate::store::users::{self, User};

/// How somebody with the right password fares.
enum Proved {
    In(Box<Opened>),
    Banned,
    Unconfirmed,
    /// The password was changed meanwhile.
    Outdated,
}

pub(crate) async fn grant(app: &App, grant: Grant) -> Result<Response, ApiError> {
    let email = match (filled(grant.email.as_deref()), filled(grant.phone.as_deref())) {
        (Some(email), _) => EmailAddress::parse(email).ok_or_else(wrong)?,
        (None, Some(_)) => {
            return Err(ApiError::bad("phone_provider_disabled", "Phone logins are disabled"));
        }
        (None, None) => return Err(ApiError::invalid("missing email or phone")),
    };
    let password = grant.password.unwrap_or_default();
    let Some(user) = right_password(app, &email, &password).await? else { return Err(wrong()) };
    match begin(app, email, user).await? {
        Proved::In(opened) => objects::session(app, &opened),
        Proved::Banned => Err(ApiError::bad("user_banned", "User is banned")),
        Proved::Unconfirmed => Err(ApiError::bad("email_not_confirmed", "Email not confirmed")),
        Proved::Outdated => Err(wrong()),
    }
}

fn wrong() -> ApiError {
    ApiError::bad("invalid_credentials", "Invalid login credentials")
}

/// The account of this address if this is its password. The guess is counted before it is looked
/// at, so that guesses that come at once count too.
pub(crate) async fn right_password(
    app: &App,
    email: &EmailAddress,
    password: &str,
) -> Result<Option<User>, ApiError> {
    let limits = Limits::of(email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                match limits.count(tx, Limited::Password, now).await? {
                    None => Ok(()),
                    Some(seconds) => Err(ApiError::wait("over_request_rate_limit", seconds)),
                }
            })
        })
        .await?;
    let user = users::by_email(app.store.pool(), email).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.as_deref());
    let right = app.hasher.verify(password, stored).await?;
    Ok(user.filter(|_| right))
}

async fn begin(app: &App, email: EmailAddress, checked: User) -> Result<Proved, ApiError> {
    let limits = Limits::of(&email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, checked) = (limits.clone(), checked.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let user = users::locked(tx.connection(), checked.user_id).await?;
                let Some(user) = user.filter(|user| user.password_hash == checked.password_hash)
                else {
                    return Ok::<Proved, ApiError>(Proved::Outdated);
                };
                limits.forget(tx, Limited::Password).await?;
                if user.is_banned(now) {
                    return Ok(Proved::Banned);
                }
                if user.email_confirmed_at.is_none() {
                    return Ok(Proved::Unconfirmed);
                }
                let opened = sessions::open(tx, user, Proof::Password, now).await?;
                Ok(Proved::In(Box::new(opened)))
            })
        })
        .await
}
