//! POST /signup: a new account.
//!
//! With confirmation of addresses, the response does not reveal whether the address had an account:
//! the owner of an existing one is mailed a code, too, which signs them in and changes nothing, and
//! the response shows an account that is not stored.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use kernel::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::captcha::{self, MetaSecurity};
use crate::http::challenge::PkceFields;
use crate::http::code_mail::{self, Admission, LinkWish};
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::phone::{self, PhoneSignUp};
use crate::http::request::{self, Body, Parameters, non_empty};
use crate::http::timing::with_min_duration;
use crate::http::{anonymous, objects};
use crate::repository::codes::Purpose;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::unconfirmed;
use crate::repository::users::{self, User};

#[derive(Deserialize)]
pub(crate) struct SignUp {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    channel: Option<String>,
    #[serde(flatten)]
    pkce: PkceFields,
    gotrue_meta_security: Option<MetaSecurity>,
}

/// A validated sign-up.
#[derive(Clone)]
struct NewAccount {
    email: EmailAddress,
    password_hash: String,
    user_metadata: Value,
    wish: LinkWish,
}

pub(crate) async fn signup(
    State(app): State<App>,
    parameters: Parameters,
    FromDevice(device): FromDevice,
    Body(body): Body<SignUp>,
) -> Result<Response, ApiError> {
    let (contact, user_metadata) = validate(&app, &body)?;
    let worked = captcha::has_worked(&app, body.gotrue_meta_security).await?;
    let email = match contact {
        Contact::Email(email) => email,
        Contact::Phone(phone) => {
            let channel = phone::channel(body.channel.as_deref())?;
            let password = body.password.as_deref().unwrap_or_default();
            let wanted = PhoneSignUp { phone, password_hash: None, user_metadata, channel };
            return phone::sign_up(&app, wanted, password, worked).await;
        }
        Contact::None => return anonymous::sign_up(&app, body.data, (worked, device)).await,
    };
    let wish = LinkWish::of(&app, &parameters, &body.pkce)?;
    let password = body.password.unwrap_or_default();
    let limits = AddressLimits::of(&email, &app.codes);
    let about = About::Address(limits.address_hash());
    if limits.count_mail(&app.spray, worked).is_err() {
        security_log::write(Kind::SignUp, Outcome::Limited, Method::Password, about);
        return Err(captcha::limited(&app, "over_email_send_rate_limit").await);
    }
    let work = async {
        let account = NewAccount {
            email,
            password_hash: app.hasher.hash(&password).await?,
            user_metadata,
            wish,
        };
        if app.confirm_email {
            let (user, known, admission) = ask_to_confirm(&app, account).await?;
            admission.told()?;
            if known && app.policy.is_for_any() {
                return Ok(Json(objects::repeated_sign_up(&user)).into_response());
            }
            Ok(Json(objects::unproved_user(&app, &user)).into_response())
        } else {
            objects::session(&app, &begin_at_once(&app, account, device).await?)
        }
    };
    let made = if app.confirm_email { with_min_duration(work).await } else { work.await };
    let outcome = if made.is_ok() { Outcome::Done } else { Outcome::Limited };
    security_log::write(Kind::SignUp, outcome, Method::Password, about);
    made
}

/// By what an account is made.
enum Contact {
    Email(EmailAddress),
    Phone(String),
    None,
}

/// Checks the fields in the order of the contract.
fn validate(app: &App, body: &SignUp) -> Result<(Contact, Value), ApiError> {
    if !app.policy.signups {
        let message = "Signups not allowed for this instance";
        return Err(ApiError::unprocessable("signup_disabled", message));
    }
    let (email, phone) = (non_empty(body.email.as_deref()), non_empty(body.phone.as_deref()));
    if email.is_none() && phone.is_none() {
        return Ok((Contact::None, Value::Null));
    }
    let password = non_empty(body.password.as_deref())
        .ok_or_else(|| ApiError::invalid("Signup requires a valid password"))?;
    let address = email.map(request::email);
    let user_metadata = request::user_metadata(app, &json!({}), body.data.clone());
    let known = address.as_ref().and_then(|address| address.as_ref().ok());
    let about = user_metadata.as_ref().unwrap_or(&Value::Null);
    request::new_password(app, password, known, about)?;
    if email.is_some() && phone.is_some() {
        let message = "Only an email address or phone number should be provided on signup.";
        return Err(ApiError::invalid(message));
    }
    let challenge = body.pkce.challenge(app)?;
    match address {
        Some(address) => Ok((Contact::Email(address?), user_metadata?)),
        None if challenge.is_some() => {
            Err(ApiError::invalid("PKCE not supported for phone signups"))
        }
        None => {
            phone::enabled(app, || {
                ApiError::bad("phone_provider_disabled", "Phone signups are disabled")
            })?;
            let phone = request::phone(phone.unwrap_or_default())?;
            Ok((Contact::Phone(phone), user_metadata?))
        }
    }
}

/// Requests a code mail, and returns the account for the response, whether the address had a
/// confirmed one already, and whether the mail had room in the hour's budget: without, nothing is
/// stored.
async fn ask_to_confirm(
    app: &App,
    account: NewAccount,
) -> Result<(User, bool, Admission), ApiError> {
    let limits = AddressLimits::of(&account.email, &app.codes);
    let shared = app.clone();
    app.store
        .write(app::metadata(), move |tx| {
            let (app, limits, account) = (shared.clone(), limits.clone(), account.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) =
                    limits.check_and_count(tx, LimitedAction::SignupMail, now).await?
                {
                    return Err(ApiError::wait("over_email_send_rate_limit", seconds));
                }
                let existing = users::lock_by_email(tx.connection(), &account.email).await?;
                let mut new = User::new(&account.email, account.user_metadata, now);
                new.confirmation_sent_at = Some(now);
                let known = existing.filter(|user| user.email_confirmed_at.is_some());
                let asking = (&limits, known.is_some());
                let admission = code_mail::admit(tx, &app, asking, now).await?;
                if !admission.is_sent() {
                    return Ok((new, known.is_some(), admission));
                }
                if known.is_none() {
                    insert_account(tx, &mut new, account.password_hash).await?;
                }
                let owner = known.as_ref().unwrap_or(&new);
                let wish = account.wish.from(&limits);
                code_mail::send(tx, owner, Purpose::Signup, &wish, now).await?;
                Ok((new, known.is_some(), admission))
            })
        })
        .await
}

async fn begin_at_once(
    app: &App,
    account: NewAccount,
    device: Device,
) -> Result<OpenedSession, ApiError> {
    let limits = AddressLimits::of(&account.email, &app.codes);
    app.store
        .write(app::metadata(), move |tx| {
            let (limits, account) = (limits.clone(), account.clone());
            let device = device.clone();
            Box::pin(async move {
                limits.lock(tx).await?;
                let now: Timestamp = tx.now().await?;
                let existing = users::lock_by_email(tx.connection(), &account.email).await?;
                if existing.is_some_and(|user| user.email_confirmed_at.is_some()) {
                    let message = "User already registered";
                    return Err(ApiError::unprocessable("user_already_exists", message));
                }
                let mut new = User::new(&account.email, account.user_metadata, now);
                new.email_confirmed_at = Some(now);
                new.identities = vec![new.identity_of_address(now)];
                insert_account(tx, &mut new, account.password_hash).await?;
                Ok(sessions::open(tx, new, (AuthMethod::Password, &device), now).await?)
            })
        })
        .await
}

/// Stores the new account with its password.
async fn insert_account(
    tx: &mut eventstore::Tx,
    new: &mut User,
    password_hash: String,
) -> Result<(), ApiError> {
    new.password_hash = Some(password_hash);
    unconfirmed::replace(tx.connection(), new).await?;
    Ok(())
}
