//! A change of address: both addresses get a code, and the second one that is redeemed changes it.
//! Both are redeemed where the change was asked for, by a session of the account: else the
//! reader of the new address's mail would get an account that another person has prepared.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::App;
use crate::http::code_mail::{self, LinkWish};
use crate::http::error::ApiError;
use crate::http::proving::{self, Shown};
use crate::repository::codes::{self, Purpose};
use crate::repository::identities::EMAIL;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::notices;
use crate::repository::sessions::Device;
use crate::repository::users::{self, User};

/// What a redeemed code of a change has done.
pub(crate) enum Half {
    /// The other address has to confirm as well.
    First,
    /// The address is changed.
    Second,
    /// Another account has the address, so that nothing is changed.
    Taken,
    /// No change waits.
    Gone,
}

/// The bits of the addresses that have confirmed, as the account's row has them.
const CURRENT: i16 = 1;
const NEW: i16 = 2;

/// Waits for the turn of both addresses, and counts a mail to each.
pub(crate) async fn lock_and_count(
    tx: &mut Tx,
    app: &App,
    addresses: &[AddressLimits],
) -> Result<(), ApiError> {
    AddressLimits::lock_all(tx, addresses).await?;
    let now = tx.now().await?;
    for limits in addresses {
        if let Some(seconds) = limits.check_and_count(tx, LimitedAction::ChangeMail, now).await? {
            return Err(ApiError::wait("over_email_send_rate_limit", seconds));
        }
    }
    for limits in addresses {
        code_mail::admit(tx, app, (limits, false), now).await?.told()?;
    }
    Ok(())
}

/// Begins a change. Whether another account has the address is told at once only to clients of the
/// contract; otherwise anyone with an account could ask for any address.
pub(crate) async fn begin(
    tx: &mut Tx,
    app: &App,
    user: &mut User,
    (new, wish): (&EmailAddress, &LinkWish),
    now: Timestamp,
) -> Result<(), ApiError> {
    if app.policy.is_for_any() && users::by_email(tx.connection(), new).await?.is_some() {
        return Err(ApiError::email_exists());
    }
    user.new_email = Some(new.as_str().to_owned());
    user.email_change_confirmed = 0;
    user.email_change_sent_at = Some(now);
    users::update(tx.connection(), user).await?;
    send(tx, user, wish, now).await
}

/// Mails a code to each address that has not confirmed; each link goes on with a flow of its own.
pub(crate) async fn send(
    tx: &mut Tx,
    user: &User,
    wish: &LinkWish,
    now: Timestamp,
) -> Result<(), ApiError> {
    let waits = |side: i16| user.email_change_confirmed & side == 0;
    if user.email.is_some() && waits(CURRENT) {
        code_mail::send(tx, user, Purpose::EmailChangeCurrent, wish, now).await?;
    }
    if waits(NEW) {
        code_mail::send(tx, user, Purpose::EmailChangeNew, wish, now).await?;
    }
    Ok(())
}

/// The limits of the new address, which a request for the codes once more does not name; none where
/// it has had enough mails, by all clients together. The request's answer does not tell.
pub(crate) async fn count_new(
    tx: &mut Tx,
    app: &App,
    user: &User,
    now: Timestamp,
) -> Result<Option<AddressLimits>, ApiError> {
    let new = user.new_email.as_deref().and_then(EmailAddress::parse);
    let Some(limits) = new.map(|new| AddressLimits::of(&new, &app.codes)) else {
        return Ok(None);
    };
    limits.lock(tx).await?;
    let wait = limits.check_and_count(tx, LimitedAction::ChangeMail, now).await?;
    Ok(wait.is_none().then_some(limits))
}

/// Mails the codes of a change once more.
pub(crate) async fn send_again(
    tx: &mut Tx,
    user: &mut User,
    wish: &LinkWish,
    now: Timestamp,
) -> Result<(), ApiError> {
    user.email_change_sent_at = Some(now);
    users::update(tx.connection(), user).await?;
    send(tx, user, wish, now).await
}

/// Notes that an address has confirmed, and changes the address when both have. The account is
/// stored by the caller, except after the first half.
pub(crate) async fn confirm(
    tx: &mut Tx,
    user: &mut User,
    (purpose, device): (Purpose, &Device),
    now: Timestamp,
) -> Result<Half, ApiError> {
    let Some(new) = user.new_email.as_deref().and_then(EmailAddress::parse) else {
        return Ok(Half::Gone);
    };
    user.email_change_confirmed |= if purpose == Purpose::EmailChangeNew { NEW } else { CURRENT };
    if user.email.is_some() && user.email_change_confirmed != CURRENT | NEW {
        users::update(tx.connection(), user).await?;
        return Ok(Half::First);
    }
    let other = users::lock_by_email(tx.connection(), &new).await?;
    if let Some(other) = other.filter(|other| other.user_id != user.user_id) {
        // An account that never had a confirmed address is of no use to a person.
        if other.email_confirmed_at.is_some() || other.last_sign_in_at.is_some() {
            return Ok(Half::Taken);
        }
        users::delete(tx.connection(), other.user_id).await?;
    }
    tracing::info!(purpose = purpose.word(), "an account has changed its address");
    if let Some(former) = user.email.as_deref() {
        let addresses = (former, new.as_str());
        notices::tell_new_address(tx, user.user_id, addresses, device, now).await?;
    }
    change(user, &new, now);
    proving::prove(tx, user, Shown::Account, now).await?;
    // Codes that were mailed to the old address open nothing any more.
    codes::delete_all(tx.connection(), user.user_id).await?;
    Ok(Half::Second)
}

/// Confirms the half of a change whose link was opened without a session of the account: the
/// client that asked has shown the verifier of its flow. None where the flow is of no such link.
pub(crate) async fn confirm_in_flow(
    tx: &mut Tx,
    (user, flow_state_id): (&mut User, Uuid),
    device: &Device,
    now: Timestamp,
) -> Result<Option<Half>, ApiError> {
    let Some(code) = codes::of_flow(tx, flow_state_id).await? else { return Ok(None) };
    let purpose = Purpose::from_word(&code.purpose);
    let Some(purpose) = purpose.filter(|purpose| purpose.needs_session()) else { return Ok(None) };
    codes::consume(tx, code.code_id).await?;
    Ok(Some(confirm(tx, user, (purpose, device), now).await?))
}

/// The refusal of a code that is redeemed without a session of the account.
pub(crate) fn elsewhere() -> ApiError {
    let message =
        "Open this where you asked for it: a change of address needs a session of its account";
    ApiError::forbidden("email_change_elsewhere", message)
}

fn change(user: &mut User, new: &EmailAddress, now: Timestamp) {
    let email = Some(new.as_str().to_owned());
    user.email.clone_from(&email);
    user.email_confirmed_at = Some(now);
    user.email_proved_at = None;
    user.new_email = None;
    user.email_change_confirmed = 0;
    user.updated_at = now;
    match user.identities.iter_mut().find(|identity| identity.provider == EMAIL) {
        Some(identity) => {
            identity.email = email;
            identity.set("email", json!(new.as_str()));
            identity.updated_at = now;
        }
        None => {
            let identity = user.identity_of_address(now);
            user.identities.push(identity);
        }
    }
}
