//! Issues codes that are mailed, for all endpoints that ask for one.

use axum::http::StatusCode;
use eventstore::Tx;
use kernel::Timestamp;

use crate::app::App;
use crate::http::challenge::PkceFields;
use crate::http::error::ApiError;
use crate::http::request::{self, Parameters, parameter};
use crate::repository::code_mail_asks::{self, Share};
use crate::repository::codes::{self, NewCode, Purpose, VALID_MINUTES};
use crate::repository::flow_states::{self, Challenge, NewFlow};
use crate::repository::limits::AddressLimits;
use crate::repository::users::{self, User};

/// What a request says of the link in the mail.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkWish {
    /// Where it leads in the end.
    pub(crate) redirect_to: Option<String>,
    /// The challenge of a client that goes on with PKCE.
    pub(crate) challenge: Option<Challenge>,
    /// Whether a device asks that is known by the account.
    pub(crate) is_known_device: bool,
}

impl LinkWish {
    /// Of a request's query and body.
    pub(crate) fn of(
        app: &App,
        parameters: &Parameters,
        pkce: &PkceFields,
    ) -> Result<Self, ApiError> {
        let redirect_to = request::redirect_to(app, parameter(parameters, "redirect_to"));
        Ok(Self { redirect_to, challenge: pkce.challenge(app)?, is_known_device: false })
    }

    /// The same of the client with these limits.
    pub(crate) fn from(self, limits: &AddressLimits) -> Self {
        Self { is_known_device: limits.is_known_device(), ..self }
    }
}

/// Whether a mail has room in the hour's budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It has, so the client is told that it is sent.
    Free,
    /// The open share is full, which everybody is told alike, for so many seconds. An address with
    /// an account may have its mail all the same.
    Full { is_sent: bool, seconds: i64 },
}

impl Admission {
    /// Whether a mail is sent.
    pub(crate) fn is_sent(self) -> bool {
        matches!(self, Self::Free | Self::Full { is_sent: true, .. })
    }

    /// What the client is told. It does not say whether the address has an account.
    pub(crate) fn told(self) -> Result<(), ApiError> {
        let Self::Full { seconds, .. } = self else { return Ok(()) };
        let minutes = seconds.saturating_add(59) / 60;
        let message = format!(
            "Too many codes are being asked for. If you have an account, look into your mailbox: \
             your code may be there. You can only request this after {} seconds.",
            minutes * 60
        );
        let status = StatusCode::TOO_MANY_REQUESTS;
        Err(ApiError::new(status, "over_email_send_rate_limit", message).retry_after(minutes * 60))
    }
}

/// Takes a mail of the hour's budget: a known device of its own share first, any client of the open
/// one, an address with an account also of the one of accounts. It is the last that a request
/// locks. What other services ask for has no budget.
pub(crate) async fn admit(
    tx: &mut Tx,
    app: &App,
    (limits, has_account): (&AddressLimits, bool),
    now: Timestamp,
) -> Result<Admission, ApiError> {
    let per_hour = app.code_mails_per_hour;
    if limits.is_inside() {
        return Ok(Admission::Free);
    }
    if limits.is_known_device()
        && code_mail_asks::take(tx, (Share::Devices, per_hour), now).await?.is_none()
    {
        return Ok(Admission::Free);
    }
    let Some(seconds) = code_mail_asks::take(tx, (Share::Open, per_hour), now).await? else {
        return Ok(Admission::Free);
    };
    let is_sent =
        has_account && code_mail_asks::take(tx, (Share::Accounts, per_hour), now).await?.is_none();
    Ok(Admission::Full { is_sent, seconds })
}

/// Issues a code for the account, notes when, and stores the account.
pub(crate) async fn issue(
    tx: &mut Tx,
    user: &mut User,
    purpose: Purpose,
    wish: &LinkWish,
    now: Timestamp,
) -> Result<(), ApiError> {
    match purpose {
        Purpose::Signup => user.confirmation_sent_at = Some(now),
        Purpose::Invite => {
            user.confirmation_sent_at = Some(now);
            user.invited_at = Some(now);
        }
        Purpose::Recovery | Purpose::Magiclink => user.recovery_sent_at = Some(now),
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => {
            user.email_change_sent_at = Some(now);
        }
        Purpose::Reauthentication => user.reauthentication_sent_at = Some(now),
        Purpose::Phone => user.confirmation_sent_at = Some(now),
        Purpose::PhoneChange => user.phone_change_sent_at = Some(now),
    }
    users::update(tx.connection(), user).await?;
    send(tx, user, purpose, wish, now).await
}

/// Issues a code for the account, which stays as it is.
pub(crate) async fn send(
    tx: &mut Tx,
    user: &User,
    purpose: Purpose,
    wish: &LinkWish,
    now: Timestamp,
) -> Result<(), ApiError> {
    let flow_state_id = begin_flow(tx, user, purpose, wish, now).await?;
    let sent_to = match purpose {
        Purpose::EmailChangeNew => user.new_email.as_deref(),
        _ => None,
    };
    let digits = purpose.digits_for(wish.is_known_device);
    let redirect_to = wish.redirect_to.as_deref();
    let code = NewCode { redirect_to, sent_to, flow_state_id, digits };
    codes::issue(tx, (user.user_id, purpose), &code, now).await?;
    Ok(())
}

/// Begins the flow of a client that goes on with PKCE.
async fn begin_flow(
    tx: &mut Tx,
    user: &User,
    purpose: Purpose,
    wish: &LinkWish,
    now: Timestamp,
) -> Result<Option<uuid::Uuid>, ApiError> {
    let Some(challenge) = wish.challenge.clone() else { return Ok(None) };
    let (provider_type, authentication_method) = match purpose {
        Purpose::Signup => ("email", "email/signup"),
        Purpose::Recovery => ("recovery", "recovery"),
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => ("email_change", "email_change"),
        other => (other.word(), other.word()),
    };
    let flow = NewFlow {
        challenge,
        user_id: Some(user.user_id),
        provider_type: provider_type.to_owned(),
        authentication_method: authentication_method.to_owned(),
        redirect_to: wish.redirect_to.clone(),
        valid_seconds: i64::from(VALID_MINUTES) * 60,
    };
    Ok(Some(flow_states::begin(tx, &flow, now).await?))
}
