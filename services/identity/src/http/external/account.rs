//! The account of a person who has signed in at a provider.
//!
//! An identity leads to its account. A new one leads to the account of the same address only if the
//! provider has verified the address. If this server has not, the account may be a stranger's: it
//! then loses everything by which that person could get in.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::http::email_change;
use crate::http::error::ApiError;
use crate::http::opening;
use crate::http::request;
use crate::repository::audit::{self, Action, Actor};
use crate::repository::identities::{self, Identity};
use crate::repository::limits::AddressLimits;
use crate::repository::sessions::{self, AuthMethod, Device, OpenedSession};
use crate::repository::users::{self, User};
use crate::repository::{codes, contacts, factors, flow_states, passkeys, recovery_codes};
use crate::tokens::id_token::IdClaims;

/// Maximum characters of a field that a provider tells.
const FIELD_CHARACTERS_MAX: usize = 300;

/// A person who comes from a provider.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) provider: String,
    pub(super) claims: IdClaims,
    pub(super) device: Device,
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

/// Finds or makes the account, or adds the identity to the account of `link`, and opens a session
/// or gives a code to the client of the flow.
pub(super) async fn enter(
    app: &App,
    arrival: Arrival,
    (link, flow_state_id): (Option<Uuid>, Option<Uuid>),
) -> Result<Entered, ApiError> {
    if arrival.claims.sub.is_empty() || arrival.claims.sub.len() > FIELD_CHARACTERS_MAX {
        return Err(ApiError::oauth("invalid request", "Missing sub claim in id_token"));
    }
    let shared = app.clone();
    let address = arrival.claims.email.as_deref().and_then(EmailAddress::parse);
    let address_limits = address.as_ref().map(|email| AddressLimits::of(email, &app.codes));
    let entered = app
        .store
        .write(app::metadata(), move |tx| {
            let (app, arrival) = (shared.clone(), arrival.clone());
            let (email, limits) = (address.clone(), address_limits.clone());
            Box::pin(async move {
                if let Some(limits) = &limits {
                    limits.lock(tx).await?;
                }
                let now = tx.now().await?;
                let mut user = match link {
                    Some(target) => add_to(tx, &app, target, (&arrival, email), now).await?,
                    None => account(tx, &app, (&arrival, email), now).await?,
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
    (arrival, email): (&Arrival, Option<EmailAddress>),
    now: Timestamp,
) -> Result<User, ApiError> {
    let rows = tx.connection();
    let owner = identities::owner(&mut *rows, &arrival.provider, &arrival.claims.sub).await?;
    if let Some(owner) = owner {
        let user = users::lock_by_id(rows, owner).await?;
        let mut user = user.ok_or_else(|| bad("The account was deleted meanwhile"))?;
        let data = identity_data(&arrival.claims);
        for identity in &mut user.identities {
            if identity.provider == arrival.provider && identity.provider_id == arrival.claims.sub {
                identity.email = data.get("email").and_then(Value::as_str).map(str::to_lowercase);
                identity.identity_data = data.clone();
            }
        }
        log(tx, &user, (Action::Login, &arrival.provider), now).await?;
        return Ok(user);
    }
    let email = email.ok_or_else(|| {
        ApiError::unavailable_provider("Error getting user email from external provider")
    })?;
    if !arrival.claims.email_verified {
        return Err(unverified(&arrival.provider));
    }
    match users::lock_by_email(tx.connection(), &email).await? {
        Some(mut user) => {
            if user.email_proved_at.is_none() {
                close_to_others(tx, &mut user).await?;
            }
            user.prove_address(now);
            add_identity(app, &mut user, arrival, now);
            users::update(tx.connection(), &user).await?;
            log(tx, &user, (Action::IdentityLinked, &arrival.provider), now).await?;
            Ok(user)
        }
        None if app.policy.signups => {
            let mut user = User::blank(json!({}), now);
            user.email = Some(email.as_str().to_owned());
            user.prove_address(now);
            add_identity(app, &mut user, arrival, now);
            users::insert(tx.connection(), &user).await?;
            log(tx, &user, (Action::SignedUp, &arrival.provider), now).await?;
            Ok(user)
        }
        None => {
            let message = "Signups not allowed for this instance";
            Err(ApiError::unprocessable("signup_disabled", message))
        }
    }
}

/// Takes from an account whose address is not proved everything by which its maker gets in: its
/// password, sessions and codes, its phone, its other identities, factors and passkeys.
async fn close_to_others(tx: &mut Tx, user: &mut User) -> Result<(), ApiError> {
    sessions::end_all(tx.connection(), user.user_id, None).await?;
    codes::delete_all(tx.connection(), user.user_id).await?;
    contacts::drop_other_identities(tx.connection(), user).await?;
    factors::delete_all(tx.connection(), user.user_id).await?;
    passkeys::delete_all(tx.connection(), user.user_id).await?;
    recovery_codes::delete_all(tx.connection(), user.user_id).await?;
    user.factors.clear();
    user.password_hash = None;
    user.new_email = None;
    user.new_phone = None;
    Ok(())
}

/// Adds the identity to the account that asked for it.
async fn add_to(
    tx: &mut Tx,
    app: &App,
    target: Uuid,
    (arrival, email): (&Arrival, Option<EmailAddress>),
    now: Timestamp,
) -> Result<User, ApiError> {
    let rows = tx.connection();
    let user = users::lock_by_id(&mut *rows, target).await?;
    let mut user = user.ok_or_else(|| {
        ApiError::unprocessable("user_not_found", "Linking target user not found")
    })?;
    let owner = identities::owner(rows, &arrival.provider, &arrival.claims.sub).await?;
    if let Some(owner) = owner {
        let message = if owner == target {
            "Identity is already linked"
        } else {
            "Identity is already linked to another user"
        };
        return Err(ApiError::unprocessable("identity_already_exists", message));
    }
    if user.email.is_none()
        && arrival.claims.email_verified
        && let Some(email) = email
    {
        if users::by_email(tx.connection(), &email).await?.is_some() {
            return Err(email_change::email_exists());
        }
        user.email = Some(email.as_str().to_owned());
        user.prove_address(now);
    }
    user.is_anonymous = false;
    add_identity(app, &mut user, arrival, now);
    users::update(tx.connection(), &user).await?;
    log(tx, &user, (Action::IdentityLinked, &arrival.provider), now).await?;
    Ok(user)
}

fn add_identity(app: &App, user: &mut User, arrival: &Arrival, now: Timestamp) {
    let data = identity_data(&arrival.claims);
    let name = (arrival.provider.as_str(), arrival.claims.sub.as_str());
    user.identities.push(Identity::of_provider(user.user_id, name, data.clone(), now));
    user.name_providers();
    // What does not fit into the account's own data is left out there.
    let said = user_fields(&user.user_metadata, &data, &arrival.claims);
    if let Ok(metadata) = request::user_metadata(app, &user.user_metadata, Some(said)) {
        user.user_metadata = metadata;
    }
}

/// What the provider says of the person, under the contract's names.
fn identity_data(claims: &IdClaims) -> Value {
    let mut data = Map::new();
    let texts = [
        ("iss", Some(&claims.iss)),
        ("sub", Some(&claims.sub)),
        ("provider_id", Some(&claims.sub)),
        ("email", claims.email.as_ref()),
        ("name", claims.name.as_ref()),
        ("full_name", claims.name.as_ref()),
        ("picture", claims.picture.as_ref()),
        ("avatar_url", claims.picture.as_ref()),
    ];
    for (name, text) in texts {
        let fits = |text: &&String| {
            text.chars().count() <= FIELD_CHARACTERS_MAX && !text.chars().any(char::is_control)
        };
        if let Some(text) = text.filter(fits) {
            data.insert(name.to_owned(), json!(text));
        }
    }
    data.insert("email_verified".to_owned(), json!(claims.email_verified));
    data.insert("phone_verified".to_owned(), json!(false));
    Value::Object(data)
}

/// What of it goes into the account's data: the contract's fields, and the names of the site's own
/// pages while the person has not set them.
fn user_fields(before: &Value, data: &Value, claims: &IdClaims) -> Map<String, Value> {
    let mut fields = data.as_object().cloned().unwrap_or_default();
    let names = [("firstName", &claims.given_name), ("lastName", &claims.family_name)];
    for (name, text) in names {
        if let (Some(text), None) = (text, before.get(name)) {
            fields.insert(name.to_owned(), json!(text));
        }
    }
    fields
}

async fn log(
    tx: &mut Tx,
    user: &User,
    (action, provider): (Action, &str),
    now: Timestamp,
) -> Result<(), ApiError> {
    let actor = Actor { id: Some(user.user_id), ..Actor::default() };
    let about = json!({ "user_id": user.user_id, "provider": provider });
    audit::record(tx.connection(), &actor, (action, &about), now).await?;
    Ok(())
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
