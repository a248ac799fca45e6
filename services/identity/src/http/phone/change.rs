//! PUT /user with a phone: the account gets it once its code is redeemed.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::Value;

use crate::app::{self, App};
use crate::http::error::ApiError;
use crate::http::phone::messages::{count_message, lock_and_count, logged, send, sent};
use crate::http::proving::{self, Shown};
use crate::http::timing::with_min_duration;
use crate::repository::codes::{self, Purpose};
use crate::repository::contacts;
use crate::repository::notices::{self, NoticeKind};
use crate::repository::sessions::Device;
use crate::repository::users::{self, User};

/// Begins a change. Whether another account has the phone is told at once only to clients of the
/// contract; otherwise anyone with an account could ask for any phone.
pub(crate) async fn begin(
    tx: &mut Tx,
    app: &App,
    user: &mut User,
    (phone, channel): (&str, &str),
    now: Timestamp,
) -> Result<(), ApiError> {
    let owner = contacts::owner_of_phone(tx.connection(), phone).await?;
    if owner.is_some_and(|owner| owner != user.user_id) && app.policy.is_for_any() {
        return Err(phone_exists());
    }
    user.new_phone = Some(phone.to_owned());
    send(tx, app, user, (Purpose::PhoneChange, channel), now).await?;
    Ok(())
}

/// Gives the account its new phone, unless another one has confirmed it meanwhile; one that never
/// confirmed it loses it. Returns whether the account has it.
pub(super) async fn confirm(
    tx: &mut Tx,
    user: &mut User,
    device: &Device,
    now: Timestamp,
) -> Result<bool, ApiError> {
    let phone = user.new_phone.take().unwrap_or_default();
    let other = users::lock_by_phone(tx.connection(), &phone).await?;
    if let Some(other) = other.filter(|other| other.user_id != user.user_id) {
        if other.phone_confirmed_at.is_some() {
            return Ok(false);
        }
        contacts::take_phone(tx.connection(), other).await?;
    }
    user.replace_phone(&phone, now);
    // The session that asked for it is a proof of the account.
    proving::prove_phone(tx, user, Shown::Account, now).await?;
    // A code that was sent to the former phone would open the account under the new one.
    codes::delete_all(tx.connection(), user.user_id).await?;
    if user.email.is_some() {
        let what = (user.user_id, NoticeKind::PhoneChanged);
        notices::tell_of_account(tx, what, device, now).await?;
    }
    Ok(true)
}

/// Sends the code of a change once more; the account is known by its phone or by the new one.
pub(crate) async fn resend_change(
    app: &App,
    phone: String,
    worked: bool,
) -> Result<Value, ApiError> {
    let caller = count_message(app, &phone, worked).await?;
    let (shared, asked) = (app.clone(), phone.clone());
    let work = app.store.write(app::metadata(), move |tx| {
        let (app, phone, caller) = (shared.clone(), phone.clone(), caller.clone());
        Box::pin(async move {
            let now = lock_and_count(tx, &app, (&caller, &phone)).await?;
            let mut known = users::lock_changing_phone(tx.connection(), &phone).await?;
            let Some(user) = known.first_mut().filter(|user| !user.is_banned(now)) else {
                return Ok(None);
            };
            if user.new_phone.as_deref() != Some(phone.as_str()) {
                let new = user.new_phone.clone().unwrap_or_default();
                lock_and_count(tx, &app, (&caller, &new)).await?;
            }
            let code = (Purpose::PhoneChange, "sms");
            Ok::<_, ApiError>(Some(send(tx, &app, user, code, now).await?))
        })
    });
    Ok(sent(app, logged(app, &asked, with_min_duration(work).await)?))
}

/// The refusal of a code that is redeemed without a session of the account: else the reader of the
/// new phone's message would get an account that another person has prepared.
pub(super) fn elsewhere() -> ApiError {
    let message =
        "Type this where you asked for it: a change of phone needs a session of its account";
    ApiError::forbidden("phone_change_elsewhere", message)
}

pub(crate) fn phone_exists() -> ApiError {
    let message = "A user with this phone number has already been registered";
    ApiError::unprocessable("phone_exists", message)
}
