//! Messages to phones: whether they are switched on, how they are limited and queued.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::App;
use crate::guard::caller::Caller;
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::captcha;
use crate::http::error::ApiError;
use crate::http::request::non_empty;
use crate::repository::codes::{self, NewCode, Purpose};
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::phone_messages::{self, NewMessage};
use crate::repository::users::{self, User};
use crate::sms::SmsSettings;

/// Signing in by phone, if it is switched on; otherwise an error in the contract's words.
pub(crate) fn enabled(app: &App, off: impl FnOnce() -> ApiError) -> Result<&SmsSettings, ApiError> {
    app.features.sms.as_ref().ok_or_else(off)
}

/// The channel of a message: SMS unless the request names the other one.
pub(crate) fn channel(asked: Option<&str>) -> Result<&'static str, ApiError> {
    match non_empty(asked) {
        None | Some("sms") => Ok("sms"),
        Some("whatsapp") => Ok("whatsapp"),
        Some(_) => {
            let message = "Invalid channel, supported values are 'sms' or 'whatsapp'";
            Err(ApiError::invalid(message))
        }
    }
}

/// Counts a message for the network of the client, and returns the client: a transaction does not
/// know it.
pub(crate) async fn count_message(
    app: &App,
    phone: &str,
    worked: bool,
) -> Result<Caller, ApiError> {
    let caller = Caller::current();
    let limits = AddressLimits::of_phone(phone, &app.codes, &caller);
    if limits.count_mail(&app.spray, worked).is_ok() {
        return Ok(caller);
    }
    log_request(app, phone, Outcome::Limited);
    Err(captcha::limited(app, "over_sms_send_rate_limit").await)
}

/// Writes how a request for a message ended.
fn log_request(app: &App, phone: &str, outcome: Outcome) {
    let about = About::Address(app.codes.phone_hash(phone));
    security_log::write(Kind::CodeRequest, outcome, Method::Nothing, about);
}

/// The same of the result of a request.
pub(crate) fn logged<T>(app: &App, phone: &str, asked: Result<T, ApiError>) -> Result<T, ApiError> {
    log_request(app, phone, if asked.is_ok() { Outcome::Done } else { Outcome::Limited });
    asked
}

/// Waits for the phone's turn and counts a message to it.
pub(crate) async fn lock_and_count(
    tx: &mut Tx,
    app: &App,
    (caller, phone): (&Caller, &str),
) -> Result<Timestamp, ApiError> {
    let limits = AddressLimits::of_phone(phone, &app.codes, caller);
    limits.lock(tx).await?;
    let now = tx.now().await?;
    if let Some(seconds) = limits.check_and_count(tx, LimitedAction::PhoneMessage, now).await? {
        return Err(ApiError::wait("over_sms_send_rate_limit", seconds));
    }
    Ok(now)
}

/// Issues a code for the account, stores both, and queues the message. Returns its id.
pub(super) async fn send(
    tx: &mut Tx,
    app: &App,
    user: &mut User,
    (purpose, channel): (Purpose, &str),
    now: Timestamp,
) -> Result<Uuid, ApiError> {
    check_hour(tx, app, now).await?;
    let phone = match purpose {
        Purpose::PhoneChange => {
            user.phone_change_sent_at = Some(now);
            user.new_phone.clone()
        }
        Purpose::Reauthentication => {
            user.reauthentication_sent_at = Some(now);
            user.phone.clone()
        }
        _ => {
            user.confirmation_sent_at = Some(now);
            user.phone.clone()
        }
    };
    let phone = phone.unwrap_or_default();
    users::update(tx.connection(), user).await?;
    // No device is known by a phone.
    let digits = purpose.digits_for(false);
    let code = NewCode { sent_to: Some(&phone), digits, ..NewCode::default() };
    let code_id = codes::insert(tx, (user.user_id, purpose), &code, now).await?.uuid();
    let message = NewMessage { code_id, user_id: user.user_id, phone: &phone, channel };
    Ok(phone_messages::queue(tx, message, now).await?)
}

/// Counts a message to a second factor of an account, whichever phone it goes to.
pub(crate) async fn count_for_account(
    tx: &mut Tx,
    app: &App,
    (caller, user_id): (&Caller, Uuid),
    now: Timestamp,
) -> Result<(), ApiError> {
    let limits = AddressLimits::of_account(user_id, &app.codes, caller);
    match limits.check_and_count(tx, LimitedAction::FactorMessage, now).await? {
        Some(seconds) => Err(ApiError::wait("over_sms_send_rate_limit", seconds)),
        None => Ok(()),
    }
}

/// Queues the message with the code of a challenge.
pub(crate) async fn send_challenge(
    tx: &mut Tx,
    app: &App,
    message: NewMessage<'_>,
    now: Timestamp,
) -> Result<(), ApiError> {
    check_hour(tx, app, now).await?;
    phone_messages::queue(tx, message, now).await?;
    Ok(())
}

/// Refuses a message when all phones together got too many within the hour.
async fn check_hour(tx: &mut Tx, app: &App, now: Timestamp) -> Result<(), ApiError> {
    let per_hour = app.features.sms.as_ref().map_or(0, |sms| sms.per_hour);
    if phone_messages::is_full(tx.connection(), per_hour, now).await? {
        let message = "SMS rate limit exceeded";
        return Err(ApiError::too_many("over_sms_send_rate_limit", message));
    }
    Ok(())
}

/// The answer to a request for a message. Only clients of the contract are told its id, since a
/// number without an account has none.
pub(super) fn sent(app: &App, message_id: Option<Uuid>) -> Value {
    match message_id {
        Some(message_id) if app.policy.is_for_any() => json!({ "message_id": message_id }),
        _ => json!({}),
    }
}
