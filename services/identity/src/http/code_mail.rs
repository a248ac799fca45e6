//! Issues codes that are mailed, for all endpoints that ask for one.

use eventstore::Tx;
use kernel::Timestamp;

use crate::app::App;
use crate::http::error::ApiError;
use crate::http::pkce::PkceFields;
use crate::http::request::{self, Parameters, parameter};
use crate::repository::codes::{self, NewCode, Purpose, VALID_MINUTES};
use crate::repository::flow_states::{self, Challenge, NewFlow};
use crate::repository::users::{self, User};

/// What a request says of the link in the mail.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkWish {
    /// Where it leads in the end.
    pub(crate) redirect_to: Option<String>,
    /// The challenge of a client that goes on with PKCE.
    pub(crate) challenge: Option<Challenge>,
}

impl LinkWish {
    /// Of a request's query and body.
    pub(crate) fn of(
        app: &App,
        parameters: &Parameters,
        pkce: &PkceFields,
    ) -> Result<Self, ApiError> {
        let redirect_to = request::redirect_to(app, parameter(parameters, "redirect_to"));
        Ok(Self { redirect_to, challenge: pkce.challenge(app)? })
    }
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
    send_in_flow(tx, user, purpose, (wish, flow_state_id), now).await
}

/// Issues a code whose link goes on with a flow, if there is one.
pub(crate) async fn send_in_flow(
    tx: &mut Tx,
    user: &User,
    purpose: Purpose,
    (wish, flow_state_id): (&LinkWish, Option<uuid::Uuid>),
    now: Timestamp,
) -> Result<(), ApiError> {
    let sent_to = match purpose {
        Purpose::EmailChangeNew => user.new_email.as_deref(),
        _ => None,
    };
    let code = NewCode { redirect_to: wish.redirect_to.as_deref(), sent_to, flow_state_id };
    codes::issue(tx, (user.user_id, purpose), &code, now).await?;
    Ok(())
}

/// Begins the flow of a client that goes on with PKCE.
pub(crate) async fn begin_flow(
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
