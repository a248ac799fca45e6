//! The account of a person who has signed in at a provider.
//!
//! An identity leads to its account. A new one leads to the account of the same address only if the
//! provider has verified the address. If this server has not, the account may be a stranger's: it
//! then loses everything by which that person could get in.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::error::ApiError;
use crate::http::identity_links::{self, FIELD_CHARACTERS_MAX, ToldIdentity};
use crate::http::opening;
use crate::http::proving::{self, Shown};
use crate::repository::audit::Action;
use crate::repository::flow_states;
use crate::repository::identities;
use crate::repository::sessions::{AuthMethod, Device, OpenedSession};
use crate::repository::users::{self, User};
use crate::tokens::id_token::IdClaims;

/// A person who comes from a provider.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) provider: String,
    pub(super) claims: IdClaims,
    pub(super) device: Device,
}

impl Arrival {
    fn told(&self) -> (&str, &IdClaims) {
        (&self.provider, &self.claims)
    }
}

/// What the client gets.
pub(super) enum Entered {
    SignedIn(Box<OpenedSession>),
    /// The client of the flow exchanges this code.
    AuthCode(Uuid),
    Banned,
}

pub(super) fn banned() -> ApiError {
    ApiError::forbidden("user_banned", "User is banned")
}

/// Finds or makes the account, or that of `link` which gets the identity, and opens a session or
/// gives a code to the client of the flow.
pub(super) async fn enter(
    app: &App,
    arrival: Arrival,
    (link, flow_state_id): (Option<Uuid>, Option<Uuid>),
) -> Result<Entered, ApiError> {
    if arrival.claims.sub.is_empty() || arrival.claims.sub.len() > FIELD_CHARACTERS_MAX {
        return Err(ApiError::oauth("invalid request", "Missing sub claim in id_token"));
    }
    let shared = app.clone();
    let entered = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, arrival) = (shared.clone(), arrival.clone());
            Box::pin(async move {
                identity_links::lock_address(tx, &app, &arrival.claims).await?;
                let now = tx.now().await?;
                let told = arrival.told();
                let mut user = match (link, flow_state_id) {
                    // The client adds it when it exchanges the code.
                    (Some(target), Some(_)) => identity_links::target(tx, target, told).await?,
                    (Some(target), None) => {
                        // Any browser can come back from the provider without PKCE.
                        let (provider, claims) = told;
                        let told = ToldIdentity { provider, claims, shown: Shown::Nothing };
                        identity_links::add(tx, &app, target, told, now).await?
                    }
                    (None, _) => account(tx, &app, &arrival, now).await?,
                };
                if user.is_banned(now) {
                    return Ok(Entered::Banned);
                }
                note_sign_in(&mut user, &arrival, now);
                let Some(flow_state_id) = flow_state_id else {
                    let method = (AuthMethod::Named("oauth"), &arrival.device);
                    let opened = opening::open(tx, &app, user, method, now).await?;
                    return Ok(Entered::SignedIn(Box::new(opened)));
                };
                users::update(tx.connection(), &user).await?;
                if link.is_some() {
                    let told = arrival.claims.person();
                    flow_states::keep_identity(tx, flow_state_id, &told).await?;
                }
                let flow = flow_states::lock(tx, flow_state_id, now).await?;
                let flow = flow
                    .ok_or_else(|| ApiError::bad("bad_oauth_state", "OAuth state has expired"))?;
                flow_states::issue_code(tx, flow_state_id, (user.user_id, None), now).await?;
                Ok::<_, ApiError>(Entered::AuthCode(flow.auth_code))
            })
        })
        .await?;
    match &entered {
        Entered::SignedIn(opened) => {
            write_line(Outcome::Done, About::Account(opened.user.user_id));
        }
        Entered::Banned => write_line(Outcome::Banned, About::NoAccount),
        Entered::AuthCode(_) => {}
    }
    Ok(entered)
}

/// Writes a line into the log of account security. The exchange of a code writes its own.
pub(super) fn write_line(outcome: Outcome, about: About) {
    security_log::write(Kind::SignIn, outcome, Method::Provider, about);
}

fn note_sign_in(user: &mut User, arrival: &Arrival, now: Timestamp) {
    for identity in &mut user.identities {
        let same =
            identity.provider == arrival.provider && identity.provider_id == arrival.claims.sub;
        if same {
            identity.last_sign_in_at = Some(now);
            identity.updated_at = now;
        }
    }
}

/// The account of the identity, or of its address, or a new one.
async fn account(
    tx: &mut Tx,
    app: &App,
    arrival: &Arrival,
    now: Timestamp,
) -> Result<User, ApiError> {
    let rows = tx.connection();
    let owner = identities::owner(&mut *rows, &arrival.provider, &arrival.claims.sub).await?;
    if let Some(owner) = owner {
        let user = users::lock_by_id(rows, owner).await?;
        let mut user = user.ok_or_else(|| bad("The account was deleted meanwhile"))?;
        let data = identity_links::data_of(&arrival.claims);
        for identity in &mut user.identities {
            if identity.provider == arrival.provider && identity.provider_id == arrival.claims.sub {
                identity.email = data.get("email").and_then(Value::as_str).map(str::to_lowercase);
                identity.identity_data = data.clone();
            }
        }
        identity_links::log(tx, &user, (Action::Login, &arrival.provider), now).await?;
        return Ok(user);
    }
    let email = identity_links::address_of(&arrival.claims).ok_or_else(|| {
        ApiError::unavailable_provider("Error getting user email from external provider")
    })?;
    if !arrival.claims.email_verified {
        return Err(unverified(&arrival.provider));
    }
    match users::lock_by_email(tx.connection(), &email).await? {
        Some(mut user) => {
            let is_first = user.email_proved_at.is_none();
            proving::prove(tx, &mut user, Shown::Nothing, now).await?;
            // A stranger may have said it; the provider says it anew.
            if is_first {
                user.describe(json!({}), now);
            }
            identity_links::put(app, &mut user, arrival.told(), now);
            users::update(tx.connection(), &user).await?;
            identity_links::log(tx, &user, (Action::IdentityLinked, &arrival.provider), now)
                .await?;
            Ok(user)
        }
        None if app.policy.signups => {
            let mut user = User::blank(json!({}), now);
            user.email = Some(email.as_str().to_owned());
            proving::prove(tx, &mut user, Shown::Account, now).await?;
            identity_links::put(app, &mut user, arrival.told(), now);
            users::insert(tx.connection(), &user).await?;
            identity_links::log(tx, &user, (Action::SignedUp, &arrival.provider), now).await?;
            Ok(user)
        }
        None => {
            let message = "Signups not allowed for this instance";
            Err(ApiError::unprocessable("signup_disabled", message))
        }
    }
}

fn unverified(provider: &str) -> ApiError {
    let message = format!(
        "Unverified email with {provider}. Verify the email with {provider} in order to sign in"
    );
    ApiError::unprocessable("provider_email_needs_verification", message)
}

fn bad(message: &'static str) -> ApiError {
    ApiError::bad("bad_oauth_callback", message)
}
