//! GET and PUT /user: the account of the signed-in caller.
//!
//! A new password needs the old one, a mailed nonce, or a mailed code that was just redeemed for
//! it. It ends all other sessions and deletes all codes. A new address needs the codes of both.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::caller::Caller;
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::bearer::SignedIn;
use crate::http::captcha::{self, MetaSecurity};
use crate::http::challenge::PkceFields;
use crate::http::code_mail::LinkWish;
use crate::http::device::FromDevice;
use crate::http::error::ApiError;
use crate::http::login::Login;
use crate::http::request::{self, Body, Parameters, non_empty};
use crate::http::{email_change, levels, objects, password, phone, reauthenticate};
use crate::repository::codes;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::notices::{self, NoticeKind};
use crate::repository::sessions::{self, Device};
use crate::repository::users::{self, User};

/// How long after its sign-in a session of a client of the contract may set a password.
const RECENT_SECONDS: i64 = 24 * 3600;

#[derive(Deserialize)]
pub(crate) struct UserUpdate {
    email: Option<String>,
    phone: Option<String>,
    channel: Option<String>,
    password: Option<String>,
    current_password: Option<String>,
    nonce: Option<String>,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Value>,
    #[serde(flatten)]
    pkce: PkceFields,
    gotrue_meta_security: Option<MetaSecurity>,
}

/// A new password, to replace the one with the hash `before`.
#[derive(Clone)]
struct NewPassword {
    before: Option<String>,
    hash: String,
}

/// What is to be stored.
#[derive(Clone)]
struct Changes {
    data: Option<Map<String, Value>>,
    new_password: Option<NewPassword>,
    new_email: Option<EmailAddress>,
    /// The digits of the phone to change to, and the channel of its code.
    new_phone: Option<(String, &'static str)>,
    wish: LinkWish,
    device: Device,
    /// Whether the client has worked for the mail to the new address.
    has_worked: bool,
}

/// The account, and while its address is not proved the secret that shows, with the mailed code,
/// that the account is the caller's.
pub(crate) async fn read(State(app): State<App>, signed_in: SignedIn) -> Json<Value> {
    let user = &signed_in.user;
    let is_proved = user.email_proved_at.is_some();
    Json(if is_proved { objects::user(user) } else { objects::unproved_user(&app, user) })
}

pub(crate) async fn update(
    State(app): State<App>,
    signed_in: SignedIn,
    FromDevice(device): FromDevice,
    parameters: Parameters,
    Body(body): Body<UserUpdate>,
) -> Result<Json<Value>, ApiError> {
    let new_email = new_email(&signed_in, &body)?;
    reject_forbidden_fields(&app, &signed_in, &body)?;
    let (email, phone) = (body.email.as_deref(), body.phone.as_deref());
    levels::check_account_change(&signed_in, email, phone, body.password.as_deref())?;
    let wish = LinkWish::of(&app, &parameters, &body.pkce)?;
    let user_metadata =
        request::user_metadata(&app, &signed_in.user.user_metadata, body.data.clone())?;
    let new_password = match non_empty(body.password.as_deref()) {
        None => None,
        Some(password) => {
            Some(new_password(&app, &signed_in, &user_metadata, (password, &body)).await?)
        }
    };
    let new_phone = new_phone(&signed_in, &body)?;
    if new_phone.is_some() {
        levels::check_new_contact(&app, &signed_in, "change the phone")?;
    }
    // Another address is confirmed by the former one as well; a first one by itself alone.
    if new_email.is_some() && signed_in.user.email.is_none() {
        levels::check_new_contact(&app, &signed_in, "add an address")?;
    }
    let changes_password = new_password.is_some();
    let asks_for_code = new_email.is_some() || new_phone.is_some();
    let has_worked = captcha::may_have_worked(&app, body.gotrue_meta_security).await?;
    let data = body.data;
    let changes = Changes { data, new_password, new_email, new_phone, wish, device, has_worked };
    let user = store(&app, &signed_in, changes).await?;
    let about = About::Account(user.user_id);
    if changes_password {
        security_log::write(Kind::PasswordChange, Outcome::Done, Method::Session, about);
    }
    if asks_for_code {
        security_log::write(Kind::CodeRequest, Outcome::Done, Method::Session, about);
    }
    Ok(Json(objects::user(&user)))
}

/// The address to change to, if it is another one.
fn new_email(signed_in: &SignedIn, body: &UserUpdate) -> Result<Option<EmailAddress>, ApiError> {
    let Some(email) = non_empty(body.email.as_deref()) else { return Ok(None) };
    let email = request::email(email)?;
    Ok((email.as_str() != signed_in.user.email_text()).then_some(email))
}

/// The phone to change to, if it is another one, and the channel of its code.
fn new_phone(
    signed_in: &SignedIn,
    body: &UserUpdate,
) -> Result<Option<(String, &'static str)>, ApiError> {
    let Some(number) = non_empty(body.phone.as_deref()) else { return Ok(None) };
    let number = request::phone(number)?;
    let channel = phone::channel(body.channel.as_deref())?;
    Ok((Some(&number) != signed_in.user.phone.as_ref()).then_some((number, channel)))
}

fn reject_forbidden_fields(
    app: &App,
    signed_in: &SignedIn,
    body: &UserUpdate,
) -> Result<(), ApiError> {
    if let Some(phone) = non_empty(body.phone.as_deref())
        && Some(request::phone(phone)?) != signed_in.user.phone
    {
        phone::enabled(app, || {
            ApiError::bad("phone_provider_disabled", "Unsupported phone provider")
        })?;
    }
    if body.app_metadata.as_ref().is_some_and(|metadata| !metadata.is_null()) {
        let message = "Updating app_metadata requires admin privileges";
        return Err(ApiError::forbidden("not_admin", message));
    }
    Ok(())
}

async fn new_password(
    app: &App,
    signed_in: &SignedIn,
    user_metadata: &Value,
    (new, body): (&str, &UserUpdate),
) -> Result<NewPassword, ApiError> {
    let user = &signed_in.user;
    if user.is_anonymous && non_empty(body.email.as_deref()).is_none() {
        let message = "Updating password of an anonymous user without an email or phone is not \
                       allowed";
        return Err(ApiError::unprocessable("validation_failed", message));
    }
    request::new_password(app, new, user.address().as_ref(), user_metadata)?;
    authorize_password(app, signed_in, body).await?;
    let before = user.password_hash.clone();
    if app.hasher.verify(new, before.as_deref()).await? {
        let message = "New password should be different from the old password.";
        return Err(ApiError::unprocessable("same_password", message));
    }
    Ok(NewPassword { before, hash: app.hasher.hash(new).await? })
}

/// Whether the caller may set a new password now.
async fn authorize_password(
    app: &App,
    signed_in: &SignedIn,
    body: &UserUpdate,
) -> Result<(), ApiError> {
    let (user, session, now) = (&signed_in.user, &signed_in.session, signed_in.now);
    let recent = now.seconds_since(session.created_at) < RECENT_SECONDS;
    let reset = session.password_reset_until_at.is_some_and(|until| until > now);
    if reset || (recent && app.policy.is_for_any()) {
        return Ok(());
    }
    if let Some(nonce) = non_empty(body.nonce.as_deref()) {
        if reauthenticate::use_nonce(app, user, nonce).await? {
            return Ok(());
        }
        return Err(reauthenticate::not_valid());
    }
    let current = non_empty(body.current_password.as_deref());
    let (Some(current), Some(login)) = (current, Login::of(user)) else {
        let message = "Setting a new password requires current_password or a nonce";
        return Err(ApiError::bad("reauthentication_needed", message));
    };
    match password::right_password(app, &login, current, (Kind::Reauthentication, false)).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::bad("invalid_credentials", "Current password is not right")),
    }
}

async fn store(app: &App, signed_in: &SignedIn, changes: Changes) -> Result<User, ApiError> {
    let (user_id, session_id) = (signed_in.user.user_id, signed_in.session.session_id);
    let shared = app.clone();
    let of = |email: &EmailAddress| AddressLimits::of(email, &app.codes);
    let own_limits = Login::of(&signed_in.user).map(|login| login.limits(&app.codes));
    let own_address = signed_in.user.address().as_ref().map(of);
    let new_limits = changes.new_email.as_ref().map(of);
    if let Some(new) = &new_limits
        && new.count_mail(&app.spray, changes.has_worked).is_err()
    {
        let about = About::Account(user_id);
        security_log::write(Kind::CodeRequest, Outcome::Limited, Method::Session, about);
        return Err(captcha::limited(app, "over_email_send_rate_limit").await);
    }
    let caller = match &changes.new_phone {
        Some((number, _channel)) => phone::count_message(app, number, changes.has_worked).await?,
        None => Caller::current(),
    };
    app.store
        .write(app::metadata(), move |tx| {
            let (app, changes, caller) = (shared.clone(), changes.clone(), caller.clone());
            let (own_limits, new_limits) = (own_limits.clone(), new_limits.clone());
            let own_address = own_address.clone();
            Box::pin(async move {
                if let Some(new) = new_limits {
                    let addresses: Vec<_> = own_address.into_iter().chain([new]).collect();
                    email_change::lock_and_count(tx, &app, &addresses).await?;
                }
                if let Some((number, _channel)) = &changes.new_phone {
                    phone::lock_and_count(tx, &app, (&caller, number)).await?;
                }
                let user = users::lock_by_id(tx.connection(), user_id).await?;
                let mut user = user.ok_or_else(user_not_found)?;
                let now = tx.now().await?;
                user.user_metadata =
                    request::user_metadata(&app, &user.user_metadata, changes.data)?;
                user.updated_at = now;
                if let Some(new) = changes.new_password {
                    if user.password_hash != new.before {
                        return Err(password_changed());
                    }
                    user.password_hash = Some(new.hash);
                    revoke_other_access(tx, own_limits.as_ref(), &user, session_id).await?;
                    let what = (user_id, NoticeKind::PasswordChanged);
                    notices::tell_of_account(tx, what, &changes.device, now).await?;
                }
                match &changes.new_email {
                    Some(new) => {
                        let wish = &changes.wish;
                        email_change::begin(tx, &app, &mut user, (new, wish), now).await?;
                    }
                    None => users::update(tx.connection(), &user).await?,
                }
                if let Some((number, channel)) = &changes.new_phone {
                    phone::begin_change(tx, &app, &mut user, (number, channel), now).await?;
                }
                Ok(user)
            })
        })
        .await
}

/// Ends all other access: sessions of the old password and pending codes.
async fn revoke_other_access(
    tx: &mut eventstore::Tx,
    limits: Option<&AddressLimits>,
    user: &User,
    session_id: Uuid,
) -> Result<(), ApiError> {
    sessions::end_all(tx.connection(), user.user_id, Some(session_id)).await?;
    sessions::revoke_password_reset(tx.connection(), session_id).await?;
    codes::delete_all(tx.connection(), user.user_id).await?;
    if let Some(limits) = limits {
        limits.reset(tx, LimitedAction::Password).await?;
    }
    Ok(())
}

fn user_not_found() -> ApiError {
    ApiError::forbidden("user_not_found", "User from sub claim in JWT does not exist")
}

fn password_changed() -> ApiError {
    ApiError::bad("invalid_credentials", "The password was changed meanwhile")
}
