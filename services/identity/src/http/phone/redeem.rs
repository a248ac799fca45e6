//! POST /verify with a phone: redeems a code that was sent there and opens a session.

use axum::response::Response;
use eventstore::Tx;
use kernel::Timestamp;

use crate::app::{self, App};
use crate::guard::caller::Caller;
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::code_guess;
use crate::http::error::ApiError;
use crate::http::phone::change;
use crate::http::proving::{self, Redeemer};
use crate::http::timing::with_min_duration;
use crate::http::{objects, opening};
use crate::repository::codes::{self, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{AuthMethod, OpenedSession};
use crate::repository::users::{self, User};

/// What the request shows.
#[derive(Clone)]
struct Shown {
    phone: String,
    purpose: Purpose,
    digits: String,
    by: Redeemer,
}

enum Redeemed {
    SignedIn(Box<OpenedSession>),
    PhoneTaken,
    /// The change was asked for elsewhere; it waits there.
    Elsewhere,
    Banned,
    Invalid,
}

pub(crate) async fn verify(
    app: &App,
    kind: &str,
    (phone, digits): (String, &str),
    by: Redeemer,
) -> Result<Response, ApiError> {
    let purpose = match kind {
        "sms" => Purpose::Phone,
        "phone_change" => Purpose::PhoneChange,
        _ => return Err(ApiError::invalid("Invalid sms verification type")),
    };
    let digits = digits.to_owned();
    let shown = Shown { phone, purpose, digits, by };
    let kind = if purpose == Purpose::PhoneChange { Kind::AddressChange } else { Kind::SignIn };
    let log = |outcome, about| security_log::write(kind, outcome, Method::Code, about);
    match with_min_duration(redeem(app, shown)).await? {
        Redeemed::SignedIn(opened) => {
            log(Outcome::Done, About::Account(opened.user.user_id));
            objects::session(app, &opened)
        }
        Redeemed::PhoneTaken => Err(change::phone_exists()),
        Redeemed::Elsewhere => Err(change::elsewhere()),
        Redeemed::Banned => {
            log(Outcome::Banned, About::NoAccount);
            Err(ApiError::forbidden("user_banned", "User is banned"))
        }
        Redeemed::Invalid => {
            log(Outcome::WrongProof, About::NoAccount);
            Err(ApiError::forbidden("otp_expired", "Token has expired or is invalid"))
        }
    }
}

async fn redeem(app: &App, shown: Shown) -> Result<Redeemed, ApiError> {
    let limits = AddressLimits::of_phone(&shown.phone, &app.codes, &Caller::current());
    let guess = limits.code_guess(&app.spray, shown.by.has_worked);
    let is_right = |redeemed: &Redeemed| !matches!(redeemed, Redeemed::Invalid);
    code_guess::counted(app, guess, redeem_digits(app, limits, shown), is_right).await
}

async fn redeem_digits(
    app: &App,
    client_limits: AddressLimits,
    shown: Shown,
) -> Result<Redeemed, ApiError> {
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, shown, limits) = (shared.clone(), shown.clone(), client_limits.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.check_and_count(tx, LimitedAction::Code, now).await? {
                    return Err(ApiError::wait("over_request_rate_limit", seconds));
                }
                let owners = owners(tx, &shown).await?;
                for user in owners {
                    let code = codes::of_user(tx, user.user_id, shown.purpose, now).await?;
                    let Some(code) = code else { continue };
                    if app.codes.is_digits(code.typed(), &shown.digits) {
                        if shown.purpose.needs_session() && !opens(tx, &shown, &user).await? {
                            return Ok(Redeemed::Elsewhere);
                        }
                        codes::consume(tx, code.code_id).await?;
                        limits.reset(tx, LimitedAction::Code).await?;
                        limits.reset(tx, LimitedAction::Password).await?;
                        return sign_in(tx, &app, (user, &shown), now).await;
                    }
                    codes::count_wrong_attempt(tx, code.code_id).await?;
                }
                Ok(Redeemed::Invalid)
            })
        })
        .await
}

/// Whether the digits are typed in a session of the account.
async fn opens(tx: &mut Tx, shown: &Shown, user: &User) -> Result<bool, ApiError> {
    match shown.by.bearer {
        Some(bearer) => bearer.opens(tx, user).await,
        None => Ok(false),
    }
}

/// The accounts whose codes were sent to the phone.
async fn owners(tx: &mut Tx, shown: &Shown) -> Result<Vec<User>, ApiError> {
    if shown.purpose == Purpose::Phone {
        let owner = users::lock_by_phone(tx.connection(), &shown.phone).await?;
        return Ok(owner.into_iter().collect());
    }
    let mut changing = users::lock_changing_phone(tx.connection(), &shown.phone).await?;
    changing.retain(|user| user.new_phone.as_deref() == Some(shown.phone.as_str()));
    Ok(changing)
}

async fn sign_in(
    tx: &mut Tx,
    app: &App,
    (mut user, shown): (User, &Shown),
    now: Timestamp,
) -> Result<Redeemed, ApiError> {
    if user.is_banned(now) {
        return Ok(Redeemed::Banned);
    }
    let mut removed = false;
    if shown.purpose == Purpose::PhoneChange {
        if !change::confirm(tx, &mut user, &shown.by.device, now).await? {
            return Ok(Redeemed::PhoneTaken);
        }
    } else {
        // The code proves the phone; the account and its password may be a stranger's.
        let by = proving::Shown::when(is_creator(app, &user, shown));
        removed = proving::prove_phone(tx, &mut user, by, now).await?.is_some();
    }
    let method = (AuthMethod::Otp, &shown.by.device);
    let mut opened = opening::open(tx, app, user, method, now).await?;
    opened.password_removed = removed;
    Ok(Redeemed::SignedIn(Box::new(opened)))
}

fn is_creator(app: &App, user: &User, shown: &Shown) -> bool {
    let secret = shown.by.sign_up_secret.as_deref().unwrap_or_default();
    app.policy.keep_sign_up_password || app.codes.is_sign_up_secret(user.user_id, secret)
}
