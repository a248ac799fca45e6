//! The password grant. An unknown address, a wrong password and an account without a password get
//! the same response after the same time.

use axum::http::StatusCode;
use axum::response::Response;
use tokio::time::Instant;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::guard::spray::Refusal;
use crate::http::captcha;
use crate::http::error::ApiError;
use crate::http::login::Login;
use crate::http::request::{self, non_empty};
use crate::http::{objects, opening, phone};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{AuthMethod, Device, OpenedSession};
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
    (worked, device): (bool, Device),
) -> Result<Response, ApiError> {
    let login = match (non_empty(email), non_empty(phone)) {
        (Some(_), Some(_)) => {
            let message = "Only an email address or phone number should be provided on login.";
            return Err(ApiError::invalid(message));
        }
        (Some(email), None) => Login::Email(EmailAddress::parse(email).ok_or_else(wrong)?),
        (None, Some(number)) => {
            phone::enabled(app, || {
                let message = "Phone logins are disabled";
                ApiError::unprocessable("phone_provider_disabled", message)
            })?;
            Login::Phone(request::phone(number).map_err(|_malformed| wrong())?)
        }
        (None, None) => return Err(ApiError::invalid("missing email or phone")),
    };
    let password = password.unwrap_or_default();
    let right = right_password(app, &login, password, (Kind::SignIn, worked)).await?;
    let Some(user) = right else { return Err(wrong()) };
    let about = About::Account(user.user_id);
    let log = |outcome| security_log::write(Kind::SignIn, outcome, Method::Password, about);
    match begin(app, (login.clone(), user), device).await? {
        SignInOutcome::SignedIn(opened) => {
            log(Outcome::Done);
            objects::session(app, &opened)
        }
        SignInOutcome::Banned => {
            log(Outcome::Banned);
            Err(ApiError::bad("user_banned", "User is banned"))
        }
        SignInOutcome::Unconfirmed => {
            log(Outcome::Unconfirmed);
            Err(login.unconfirmed())
        }
        SignInOutcome::Outdated => Err(wrong()),
    }
}

fn wrong() -> ApiError {
    ApiError::bad("invalid_credentials", "Invalid login credentials")
}

/// The account of this address or phone if this is its password. The guess is counted before it is
/// checked, so that concurrent guesses count, too.
pub(crate) async fn right_password(
    app: &App,
    login: &Login,
    password: &str,
    (kind, worked): (Kind, bool),
) -> Result<Option<User>, ApiError> {
    let limits = login.limits(&app.codes);
    let about = About::Address(limits.address_hash());
    let limited = |error: ApiError| {
        security_log::write(kind, Outcome::Limited, Method::Password, about);
        error
    };
    let guess = limits.guess(&app.spray, password, worked);
    if let Err(why) = app.spray.peek(&guess, Instant::now()) {
        return Err(limited(guessed_elsewhere(app, why).await));
    }
    count(app, limits).await?.map_err(limited)?;
    let user = login.account(app.store.pool()).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.as_deref());
    let (begins, ends) = (app.spray.clone(), app.spray.clone());
    let begin = move || begins.begin(&guess, Instant::now());
    let end = move |right| {
        if ends.end(&guess, right, Instant::now()) {
            let kind = Kind::GuessingAlarm;
            security_log::write(kind, Outcome::Limited, Method::Password, About::NoAccount);
        }
    };
    let checked = app.hasher.verify_if(password, stored, begin, end).await?;
    let right = match checked {
        Ok(right) => right,
        Err(why) => return Err(limited(guessed_elsewhere(app, why).await)),
    };
    if !right {
        security_log::write(kind, Outcome::WrongProof, Method::Password, about);
    }
    Ok(user.filter(|_| right))
}

/// Counts a guess for its address; the inner error says how long it has to wait.
async fn count(app: &App, limits: AddressLimits) -> Result<Result<(), ApiError>, ApiError> {
    let wait = app
        .store
        .write(app::metadata(), move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                Ok::<_, ApiError>(limits.check_and_count(tx, LimitedAction::Password, now).await?)
            })
        })
        .await?;
    Ok(wait.map_or(Ok(()), |seconds| Err(ApiError::wait("over_request_rate_limit", seconds))))
}

/// The password or the network is part of guesses at other accounts. The password has not been
/// read, so the response is the same for a right one; a code by mail signs in. Work lifts the limit
/// of a network and not that of a password.
async fn guessed_elsewhere(app: &App, why: Refusal) -> ApiError {
    let code = "over_request_rate_limit";
    match why {
        Refusal::Network => captcha::limited(app, code).await,
        Refusal::Password => {
            let message = "Request rate limit reached; a code by mail signs in";
            ApiError::new(StatusCode::TOO_MANY_REQUESTS, code, message)
        }
    }
}

async fn begin(
    app: &App,
    (login, checked): (Login, User),
    device: Device,
) -> Result<SignInOutcome, ApiError> {
    let (shared, limits) = (app.clone(), login.limits(&app.codes));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, limits, login) = (shared.clone(), limits.clone(), login.clone());
            let (checked, device) = (checked.clone(), device.clone());
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
                if !login.is_confirmed(&user) {
                    return Ok(SignInOutcome::Unconfirmed);
                }
                let how = (AuthMethod::Password, &device);
                let opened = opening::open(tx, &app, user, how, now).await?;
                Ok(SignInOutcome::SignedIn(Box::new(opened)))
            })
        })
        .await
}
