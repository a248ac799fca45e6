//! POST /factors: a new factor, unverified until its first code.

use axum::Json;
use axum::extract::State;
use eventstore::Tx;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::{self, App};
use crate::http::bearer::SignedIn;
use crate::http::error::ApiError;
use crate::http::levels::{self, Changing};
use crate::http::request::{self, Body, non_empty};
use crate::repository::factors::{self, Factor, PHONE, TOTP, WEBAUTHN};
use crate::tokens::totp;

/// Maximum factors of an account, as in the contract.
const FACTORS_MAX: usize = 10;
/// Maximum characters of a name; the QR code of a longer issuer could not be read.
const NAME_CHARACTERS_MAX: usize = 120;
/// Minimum digits of a phone, with its country.
const PHONE_DIGITS_MIN: usize = 7;

#[derive(Deserialize)]
pub(crate) struct Enrolment {
    friendly_name: Option<String>,
    factor_type: Option<String>,
    issuer: Option<String>,
    phone: Option<String>,
}

pub(crate) async fn enroll(
    State(app): State<App>,
    signed_in: SignedIn,
    Body(body): Body<Enrolment>,
) -> Result<Json<Value>, ApiError> {
    levels::refuse_anonymous(&signed_in)?;
    let name = one_line(body.friendly_name.as_deref(), "friendly_name")?;
    match non_empty(body.factor_type.as_deref()) {
        Some("totp") => {
            let issuer = one_line(body.issuer.as_deref(), "issuer")?;
            totp_factor(&app, &signed_in, name, issuer).await
        }
        Some("phone") => phone_factor(&app, &signed_in, name, body.phone.as_deref()).await,
        Some("webauthn") => {
            let factor = Factor::new(signed_in.user.user_id, WEBAUTHN, name, signed_in.now);
            store(&app, &signed_in, factor.clone()).await?;
            Ok(Json(json!({
                "id": factor.factor_id, "type": WEBAUTHN, "friendly_name": name,
            })))
        }
        _ => Err(ApiError::invalid("factor_type needs to be totp, phone, or webauthn")),
    }
}

async fn phone_factor(
    app: &App,
    signed_in: &SignedIn,
    name: &str,
    typed: Option<&str>,
) -> Result<Json<Value>, ApiError> {
    if !app.features.mfa_phone {
        let message = "MFA enroll is disabled for Phone";
        return Err(ApiError::unprocessable("mfa_phone_enroll_not_enabled", message));
    }
    let typed = non_empty(typed)
        .ok_or_else(|| ApiError::invalid("Phone number required to enroll Phone factor"))?;
    let phone = request::phone(typed)?;
    if phone.len() < PHONE_DIGITS_MIN {
        return Err(ApiError::invalid("Invalid phone number format (E.164 required)"));
    }
    let mut factor = Factor::new(signed_in.user.user_id, PHONE, name, signed_in.now);
    factor.phone = Some(phone);
    store(app, signed_in, factor.clone()).await?;
    Ok(Json(json!({
        "id": factor.factor_id, "type": PHONE, "friendly_name": name, "phone": typed,
    })))
}

/// A text of one line; empty when it is absent.
pub(crate) fn one_line<'t>(text: Option<&'t str>, field: &str) -> Result<&'t str, ApiError> {
    let text = text.unwrap_or_default();
    if text.chars().count() > NAME_CHARACTERS_MAX || text.chars().any(char::is_control) {
        let message = format!("{field} must be a text of one line, with at most 120 characters");
        return Err(ApiError::invalid(message));
    }
    Ok(text)
}

async fn totp_factor(
    app: &App,
    signed_in: &SignedIn,
    name: &str,
    issuer: &str,
) -> Result<Json<Value>, ApiError> {
    let user = &signed_in.user;
    let secret = totp::new_secret();
    let mut factor = Factor::new(user.user_id, TOTP, name, signed_in.now);
    let sealed = app.sealer.seal(factor.factor_id, &secret);
    factor.secret_sealed = Some(sealed.map_err(|error| ApiError::failed(&error))?);
    let issuer = if issuer.is_empty() { levels::issuer(app) } else { issuer };
    let account = user.email.as_deref().or(user.phone.as_deref()).unwrap_or_default();
    let uri = totp::uri(issuer, account, &secret);
    let qr_code = totp::qr_svg(&uri).map_err(|error| ApiError::failed(&error))?;
    store(app, signed_in, factor.clone()).await?;
    Ok(Json(json!({
        "id": factor.factor_id,
        "type": TOTP,
        "friendly_name": name,
        "totp": { "qr_code": qr_code, "secret": totp::text(&secret), "uri": uri },
    })))
}

async fn store(app: &App, signed_in: &SignedIn, factor: Factor) -> Result<(), ApiError> {
    let caller = levels::caller(signed_in);
    app.store
        .write(app::metadata(), move |tx| {
            let factor = factor.clone();
            Box::pin(async move {
                let changing = Changing::lock(tx, caller).await?;
                check(tx, &changing, &factor).await?;
                factors::insert(tx.connection(), &factor).await?;
                Ok::<(), ApiError>(())
            })
        })
        .await
}

/// Whether the account may have this factor, too.
async fn check(tx: &mut Tx, changing: &Changing, new: &Factor) -> Result<(), ApiError> {
    let (user_id, name) = (changing.user.user_id, new.friendly_name.as_str());
    factors::delete_abandoned(tx.connection(), user_id, changing.now).await?;
    let mut known = factors::of_user(tx.connection(), user_id).await?;
    if let Some(phone) = &new.phone {
        known = replace_unverified(tx, known, phone).await?;
    }
    if known.iter().any(|factor| factor.friendly_name == name) {
        let message =
            format!("A factor with the friendly name {name:?} for this user already exists");
        return Err(ApiError::unprocessable("mfa_factor_name_conflict", message));
    }
    if known.len() >= FACTORS_MAX {
        let message = "Maximum number of verified factors reached, unenroll to continue";
        return Err(ApiError::unprocessable("too_many_enrolled_mfa_factors", message));
    }
    changing.check_proof(tx, "enroll a new factor").await
}

/// The factors without those of this phone that were never verified, which are deleted. One that
/// was stays, and no second one is made.
async fn replace_unverified(
    tx: &mut Tx,
    known: Vec<Factor>,
    phone: &str,
) -> Result<Vec<Factor>, ApiError> {
    let is_same = |factor: &Factor| factor.phone.as_deref() == Some(phone);
    let (same, others): (Vec<Factor>, Vec<Factor>) = known.into_iter().partition(is_same);
    if same.iter().any(Factor::is_verified) {
        let message =
            "A verified phone factor already exists, unenroll the existing factor to continue";
        return Err(ApiError::unprocessable("mfa_verified_factor_exists", message));
    }
    for factor in same {
        factors::delete(tx.connection(), factor.factor_id).await?;
    }
    Ok(others)
}
