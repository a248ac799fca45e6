//! The password grant. An unknown address, a wrong password and an account without a password get
//! the same response after the same time.

use axum::response::Response;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::error::ApiError;
use crate::http::objects;
use crate::http::request::non_empty;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::users::{self, User};

/// The outcome of a sign-in with the right password.
enum SignInOutcome {
    SignedIn(Box<OpenedSession>),
    Banned,
    Unconfirmed,
    /// The password was changed after it was checked.
    Outdated,
}

pub(crate) async fn grant(
    app: &App,
    (email, phone): (Option<&str>, Option<&str>),
    password: Option<&str>,
    device: Device,
) -> Result<Response, ApiError> {
    let email = match (non_empty(email), non_empty(phone)) {
        (Some(_), Some(_)) => {
            let message = "Only an email address or phone number should be provided on login.";
            return Err(ApiError::invalid(message));
        }
        (Some(email), None) => EmailAddress::parse(email).ok_or_else(wrong)?,
        (None, Some(_)) => {
            let message = "Phone logins are disabled";
            return Err(ApiError::unprocessable("phone_provider_disabled", message));
        }
        (None, None) => return Err(ApiError::invalid("missing email or phone")),
    };
    let password = password.unwrap_or_default();
    let Some(user) = right_password(app, &email, password).await? else { return Err(wrong()) };
    match begin(app, (email, user), device).await? {
        SignInOutcome::SignedIn(opened) => objects::session(app, &opened),
        SignInOutcome::Banned => Err(ApiError::bad("user_banned", "User is banned")),
        SignInOutcome::Unconfirmed => {
            Err(ApiError::bad("email_not_confirmed", "Email not confirmed"))
        }
        SignInOutcome::Outdated => Err(wrong()),
    }
}

fn wrong() -> ApiError {
    ApiError::bad("invalid_credentials", "Invalid login credentials")
}

/// The account of this address if this is its password. The guess is counted before it is checked,
/// so that concurrent guesses count, too.
pub(crate) async fn right_password(
    app: &App,
    email: &EmailAddress,
    password: &str,
) -> Result<Option<User>, ApiError> {
    let limits = AddressLimits::of(email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                match limits.check_and_count(tx, LimitedAction::Password, now).await? {
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

async fn begin(
    app: &App,
    (email, checked): (EmailAddress, User),
    device: Device,
) -> Result<SignInOutcome, ApiError> {
    let limits = AddressLimits::of(&email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, checked) = (limits.clone(), checked.clone());
            let device = device.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                let user = users::lock_by_id(tx.connection(), checked.user_id).await?;
                let Some(user) = user.filter(|user| user.password_hash == checked.password_hash)
                else {
                    return Ok::<SignInOutcome, ApiError>(SignInOutcome::Outdated);
                };
                limits.reset(tx, LimitedAction::Password).await?;
                if user.is_banned(now) {
                    return Ok(SignInOutcome::Banned);
                }
                if user.email_confirmed_at.is_none() {
                    return Ok(SignInOutcome::Unconfirmed);
                }
                let opened = sessions::open(tx, user, (AuthMethod::Password, &device), now).await?;
                Ok(SignInOutcome::SignedIn(Box::new(opened)))
            })
        })
        .await
}
