//! The challenge of a phone that is a second factor: six digits, sent by SMS or WhatsApp. They are
//! derived from the challenge's id, so no row has them.

use kernel::Timestamp;

use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::factors::factor_not_found;
use crate::http::levels::{self, Changing};
use crate::http::phone;
use crate::repository::challenges::{self, Challenge, ChallengeKind};
use crate::repository::factors::{self, Factor};
use crate::repository::phone_messages::NewMessage;

/// Minimum seconds between two messages to a factor, as in the contract.
const SPACING_SECONDS: i64 = 60;

/// What is told of a code while phones are switched off as second factors.
pub(super) fn check_enabled(app: &App) -> Result<(), ApiError> {
    if app.features.mfa_phone {
        return Ok(());
    }
    let message = "MFA verification is disabled for Phone";
    Err(ApiError::unprocessable("mfa_phone_verify_not_enabled", message))
}

/// Stores a challenge and queues its message.
pub(super) async fn challenge(
    app: &App,
    signed_in: &SignedIn,
    (factor, channel): (&Factor, Option<&str>),
    network: Option<String>,
) -> Result<Challenge, ApiError> {
    check_enabled(app)?;
    let channel = phone::channel(channel)?;
    let number = factor.phone.clone().unwrap_or_default();
    let client = phone::count_message(app, &number, false).await?;
    let (shared, caller, factor_id) = (app.clone(), levels::caller(signed_in), factor.factor_id);
    let asked = number.clone();
    let begun = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, number) = (shared.clone(), number.clone());
            let (client, network) = (client.clone(), network.clone());
            Box::pin(async move {
                // The phone is locked before the account, as by every message.
                let now = phone::lock_and_count(tx, &app, (&client, &number)).await?;
                let changing = Changing::lock(tx, caller).await?;
                let user_id = changing.user.user_id;
                let factor = factors::lock(tx.connection(), user_id, factor_id).await?;
                let mut factor = factor.ok_or_else(factor_not_found)?;
                check_spacing(&factor, now)?;
                phone::count_for_account(tx, &app, (&client, user_id), now).await?;
                let challenge = Challenge {
                    user_id: Some(user_id),
                    factor_id: Some(factor_id),
                    session_id: Some(changing.session.session_id),
                    network,
                    ..Challenge::new(ChallengeKind::Factor, now)
                };
                challenges::insert(tx.connection(), &challenge, now).await?;
                let code_id = challenge.challenge_id;
                let message = NewMessage { code_id, user_id, phone: &number, channel };
                phone::send_challenge(tx, &app, message, now).await?;
                factor.last_challenged_at = Some(now);
                factors::update(tx.connection(), &factor).await?;
                Ok::<_, ApiError>(challenge)
            })
        })
        .await;
    phone::logged(app, &asked, begun)
}

/// Refuses a second message to a factor within a minute, also from another network.
fn check_spacing(factor: &Factor, now: Timestamp) -> Result<(), ApiError> {
    let allowed_at = factor.last_challenged_at.map(|at| at.plus_seconds(SPACING_SECONDS));
    match allowed_at.filter(|at| *at > now) {
        Some(at) => Err(ApiError::wait("over_sms_send_rate_limit", at.seconds_since(now).max(1))),
        None => Ok(()),
    }
}
