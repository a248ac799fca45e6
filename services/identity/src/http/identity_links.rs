//! The identities of other providers in an account: adding one, and what it tells.
//!
//! A link that a client with PKCE began is added when that client exchanges its code. Another
//! browser that goes through the provider gets a code without worth, so no identity comes into the
//! account of a stranger who has sent its owner there.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::App;
use crate::http::error::ApiError;
use crate::http::proving::{self, Shown};
use crate::http::request;
use crate::repository::audit::{self, Action, Actor};
use crate::repository::flow_states::FlowState;
use crate::repository::identities::{self, Identity};
use crate::repository::limits::AddressLimits;
use crate::repository::users::{self, User};
use crate::tokens::id_token::IdClaims;

/// Maximum characters of a field that a provider tells.
pub(crate) const FIELD_CHARACTERS_MAX: usize = 300;

/// The account that is to get the identity, locked until the transaction ends. It is not changed.
pub(crate) async fn target(
    tx: &mut Tx,
    target: Uuid,
    (provider, claims): (&str, &IdClaims),
) -> Result<User, ApiError> {
    let rows = tx.connection();
    let user = users::lock_by_id(&mut *rows, target).await?;
    let user = user.ok_or_else(|| {
        ApiError::unprocessable("user_not_found", "Linking target user not found")
    })?;
    let owner = identities::owner(&mut *rows, provider, &claims.sub).await?;
    if let Some(owner) = owner {
        let message = if owner == target {
            "Identity is already linked"
        } else {
            "Identity is already linked to another user"
        };
        return Err(ApiError::unprocessable("identity_already_exists", message));
    }
    if let Some(email) = new_address(&user, claims)
        && users::by_email(rows, &email).await?.is_some()
    {
        return Err(ApiError::email_exists());
    }
    Ok(user)
}

/// An identity as a provider tells it, and what its client has shown of the account.
#[derive(Clone, Copy)]
pub(crate) struct ToldIdentity<'a> {
    pub(crate) provider: &'a str,
    pub(crate) claims: &'a IdClaims,
    pub(crate) shown: Shown,
}

/// Adds the identity to the account.
pub(crate) async fn add(
    tx: &mut Tx,
    app: &App,
    account: Uuid,
    ToldIdentity { provider, claims, shown }: ToldIdentity<'_>,
    now: Timestamp,
) -> Result<User, ApiError> {
    let mut user = target(tx, account, (provider, claims)).await?;
    if let Some(email) = new_address(&user, claims) {
        user.email = Some(email.as_str().to_owned());
        proving::prove(tx, &mut user, shown, now).await?;
    }
    user.is_anonymous = false;
    put(app, &mut user, (provider, claims), now);
    users::update(tx.connection(), &user).await?;
    log(tx, &user, (Action::IdentityLinked, provider), now).await?;
    Ok(user)
}

/// The account of a flow whose code is exchanged, with the identity that has waited for this.
pub(crate) async fn add_waiting(
    tx: &mut Tx,
    app: &App,
    (flow, user_id): (&FlowState, Uuid),
    now: Timestamp,
) -> Result<Option<User>, ApiError> {
    let Some(told) = flow.linked_identity.clone() else {
        return Ok(users::lock_by_id(tx.connection(), user_id).await?);
    };
    let claims: IdClaims =
        serde_json::from_value(told).map_err(|error| ApiError::failed(&error))?;
    lock_address(tx, app, &claims).await?;
    // Only the client that began the link has the verifier of the flow.
    let (provider, claims) = (flow.provider_type.as_str(), &claims);
    let told = ToldIdentity { provider, claims, shown: Shown::Account };
    add(tx, app, user_id, told, now).await.map(Some)
}

/// Makes others that use the same address wait until the transaction ends.
pub(crate) async fn lock_address(
    tx: &mut Tx,
    app: &App,
    claims: &IdClaims,
) -> Result<(), ApiError> {
    if let Some(email) = address_of(claims) {
        AddressLimits::of(&email, &app.codes).lock(tx).await?;
    }
    Ok(())
}

/// The address that the provider tells, verified or not.
pub(crate) fn address_of(claims: &IdClaims) -> Option<EmailAddress> {
    claims.email.as_deref().and_then(EmailAddress::parse)
}

/// The address that an account without one gets by the identity.
fn new_address(user: &User, claims: &IdClaims) -> Option<EmailAddress> {
    let gets_one = user.email.is_none() && claims.email_verified;
    if gets_one { address_of(claims) } else { None }
}

/// Puts the identity into the account, which the caller stores.
pub(crate) fn put(
    app: &App,
    user: &mut User,
    (provider, claims): (&str, &IdClaims),
    now: Timestamp,
) {
    let data = data_of(claims);
    let name = (provider, claims.sub.as_str());
    user.identities.push(Identity::of_provider(user.user_id, name, data.clone(), now));
    user.name_providers();
    // What does not fit into the account's own data is left out there.
    let said = user_fields(&user.user_metadata, &data, claims);
    if let Ok(metadata) = request::user_metadata(app, &user.user_metadata, Some(said)) {
        user.user_metadata = metadata;
    }
}

/// What the provider says of the person, under the contract's names.
pub(crate) fn data_of(claims: &IdClaims) -> Value {
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

/// Writes into the account's log what was done with an identity.
pub(crate) async fn log(
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
