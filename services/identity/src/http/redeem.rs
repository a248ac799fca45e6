//! Redeems a mailed code, typed or as a link's token: it proves the address that it was sent to.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::app::{self, App};
use crate::http::code_guess;
use crate::http::email_change::{self, Half};
use crate::http::error::ApiError;
use crate::http::opening;
use crate::http::proving::{self, Redeemer, Shown};
use crate::repository::codes::{self, Code, Purpose};
use crate::repository::flow_states;
use crate::repository::limits::{AddressLimits, LimitedAction};
use crate::repository::sessions::{self, AuthMethod, OpenedSession};
use crate::repository::users::{self, User};
use crate::tokens::pkce;

pub(crate) const LINK_EXPIRED: &str = "Email link is invalid or has expired";
pub(crate) const HALF_CHANGED: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// The outcome of redeeming a code.
pub(crate) enum Redeemed {
    SignedIn(Box<OpenedSession>),
    /// The client of the flow exchanges this code.
    AuthCode(Uuid),
    /// One of the two addresses has confirmed a change.
    HalfChanged,
    /// The change was asked for elsewhere; it waits there.
    Elsewhere,
    /// The address of the change has got another account meanwhile.
    AddressTaken,
    Banned,
    Invalid,
}

/// The outcome of redeeming a link's token.
pub(crate) struct RedeemedLink {
    pub(crate) outcome: Redeemed,
    /// Where the link leads in the end, as the code's row says.
    pub(crate) redirect_to: Option<String>,
}

/// The purposes of the codes that the contract's type redeems; none when the type is unknown.
pub(crate) fn purposes(kind: &str) -> &'static [Purpose] {
    match kind {
        "signup" | "invite" => &[Purpose::Signup, Purpose::Invite],
        "recovery" | "magiclink" => &[Purpose::Recovery, Purpose::Magiclink],
        "email" => &[Purpose::Signup, Purpose::Invite, Purpose::Recovery, Purpose::Magiclink],
        "email_change" => &[Purpose::EmailChangeCurrent, Purpose::EmailChangeNew],
        _ => &[],
    }
}

/// Redeems typed digits that were mailed to the address.
pub(crate) async fn digits(
    app: &App,
    kind: &str,
    (email, typed): (EmailAddress, String),
    redeemer: Redeemer,
) -> Result<Redeemed, ApiError> {
    let limits = AddressLimits::of(&email, &app.codes);
    let guess = limits.code_guess(&app.spray, redeemer.has_worked);
    let redeeming = redeem_digits(app, (kind, limits), (email, typed), redeemer);
    let is_right = |redeemed: &Redeemed| !matches!(redeemed, Redeemed::Invalid);
    code_guess::counted(app, guess, redeeming, is_right).await
}

async fn redeem_digits(
    app: &App,
    (kind, client_limits): (&str, AddressLimits),
    (email, typed): (EmailAddress, String),
    redeemer: Redeemer,
) -> Result<Redeemed, ApiError> {
    let (shared, purposes) = (app.clone(), purposes(kind));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, email, typed) = (shared.clone(), email.clone(), typed.clone());
            let (redeemer, limits) = (redeemer.clone(), client_limits.clone());
            Box::pin(async move {
                limits.lock(tx).await?;
                let now = tx.now().await?;
                if let Some(seconds) = limits.check_and_count(tx, LimitedAction::Code, now).await? {
                    return Err(ApiError::wait("over_request_rate_limit", seconds));
                }
                let candidates = candidates(tx, &email, purposes, now).await?;
                let right =
                    candidates.iter().position(|code| app.codes.is_digits(code.typed(), &typed));
                let Some(code) = right.and_then(|at| candidates.get(at)) else {
                    for code in &candidates {
                        codes::count_wrong_attempt(tx, code.code_id).await?;
                    }
                    return Ok(Redeemed::Invalid);
                };
                let limits = Some(&limits);
                redeem(tx, &app, Presented { code, redeemer: &redeemer, limits }, now).await
            })
        })
        .await
}

/// The valid codes of these purposes that were mailed to the address.
async fn candidates(
    tx: &mut Tx,
    email: &EmailAddress,
    purposes: &[Purpose],
    now: Timestamp,
) -> Result<Vec<Code>, ApiError> {
    let mut owners: Vec<(Uuid, Purpose)> = Vec::new();
    if purposes.contains(&Purpose::EmailChangeNew) {
        for user in users::lock_changing(tx.connection(), email).await? {
            let current = user.email.as_deref() == Some(email.as_str());
            let purpose =
                if current { Purpose::EmailChangeCurrent } else { Purpose::EmailChangeNew };
            owners.push((user.user_id, purpose));
        }
    } else if let Some(user) = users::lock_by_email(tx.connection(), email).await? {
        owners.extend(purposes.iter().map(|purpose| (user.user_id, *purpose)));
    }
    let mut found = Vec::new();
    for (user_id, purpose) in owners {
        found.extend(codes::of_user(tx, user_id, purpose, now).await?);
    }
    Ok(found)
}

/// Redeems the token of a link.
pub(crate) async fn link(
    app: &App,
    kind: &str,
    token: &str,
    redeemer: Redeemer,
) -> Result<RedeemedLink, ApiError> {
    let bare = token.strip_prefix(pkce::PREFIX).unwrap_or(token);
    let invalid = || RedeemedLink { outcome: Redeemed::Invalid, redirect_to: None };
    let Some(code_id) = app.codes.code_of_link(bare) else { return Ok(invalid()) };
    let limits = address_of_code(app, code_id).await?;
    let limits = limits.map(|email| AddressLimits::of(&email, &app.codes));
    let (shared, purposes) = (app.clone(), purposes(kind));
    app.store
        .write(app::metadata(), move |tx| {
            let (app, redeemer, limits) = (shared.clone(), redeemer.clone(), limits.clone());
            Box::pin(async move {
                let code = codes::by_id(tx.connection(), code_id).await?;
                let fits = |code: &Code| {
                    Purpose::from_word(&code.purpose).is_some_and(|known| purposes.contains(&known))
                };
                let Some(code) = code.filter(fits) else { return Ok(invalid()) };
                let now = tx.now().await?;
                let limits = limits.as_ref();
                let presented = Presented { code: &code, redeemer: &redeemer, limits };
                let outcome = redeem(tx, &app, presented, now).await?;
                Ok::<_, ApiError>(RedeemedLink { outcome, redirect_to: code.redirect_to })
            })
        })
        .await
}

/// The address of the account that a code belongs to.
async fn address_of_code(app: &App, code_id: Uuid) -> Result<Option<EmailAddress>, ApiError> {
    let Some(code) = codes::by_id(app.store.pool(), code_id).await? else { return Ok(None) };
    let user = users::by_id(app.store.pool(), code.user_id).await?;
    Ok(user.and_then(|user| user.address()))
}

/// A code that was found, the client that presents it, and the limits that a success resets.
#[derive(Clone, Copy)]
struct Presented<'a> {
    code: &'a Code,
    redeemer: &'a Redeemer,
    limits: Option<&'a AddressLimits>,
}

/// Uses the code up and does what it is for.
async fn redeem(
    tx: &mut Tx,
    app: &App,
    Presented { code, redeemer, limits }: Presented<'_>,
    now: Timestamp,
) -> Result<Redeemed, ApiError> {
    let Some(mut user) = users::lock_by_id(tx.connection(), code.user_id).await? else {
        return Ok(Redeemed::Invalid);
    };
    let Some(purpose) = Purpose::from_word(&code.purpose) else { return Ok(Redeemed::Invalid) };
    let opens = match redeemer.bearer {
        Some(bearer) => bearer.opens(tx, &user).await?,
        None => false,
    };
    let changes = matches!(purpose, Purpose::EmailChangeCurrent | Purpose::EmailChangeNew);
    if changes && !opens {
        // The client that asked confirms it by the verifier of its flow; nothing changes before.
        return match code.flow_state_id.filter(|_| redeemer.goes_on) {
            Some(flow_state_id) => go_on(tx, &user, (flow_state_id, None), now).await,
            None => Ok(Redeemed::Elsewhere),
        };
    }
    if !codes::consume(tx, code.code_id).await? {
        return Ok(Redeemed::Invalid);
    }
    if user.is_banned(now) {
        return Ok(Redeemed::Banned);
    }
    let mut removed = None;
    if changes {
        let by = (purpose, &redeemer.device);
        match email_change::confirm(tx, &mut user, by, now).await? {
            Half::First => return Ok(Redeemed::HalfChanged),
            Half::Taken => return Ok(Redeemed::AddressTaken),
            Half::Gone => return Ok(Redeemed::Invalid),
            Half::Second => {}
        }
    } else {
        let shown = Shown::when(opens || is_creator(app, &user, (purpose, redeemer)));
        let goes_on = redeemer.goes_on && code.flow_state_id.is_some();
        removed = prove_address(tx, app, &mut user, Proof { shown, goes_on }, now).await?;
    }
    if let Some(limits) = limits {
        limits.reset(tx, LimitedAction::Code).await?;
        limits.reset(tx, LimitedAction::Password).await?;
    }
    if redeemer.goes_on
        && let Some(flow_state_id) = code.flow_state_id
    {
        return go_on(tx, &user, (flow_state_id, removed.as_deref()), now).await;
    }
    let recovers = purpose == Purpose::Recovery || redeemer.recovers;
    let method = if recovers { AuthMethod::Recovery } else { AuthMethod::Otp };
    let how = (method, &redeemer.device);
    let mut opened = match purpose {
        // The device has tokens of the former address, and both addresses are told of the change.
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => {
            sessions::open(tx, user, how, now).await?
        }
        _ => opening::open(tx, app, user, how, now).await?,
    };
    opened.password_removed = removed.is_some();
    Ok(Redeemed::SignedIn(Box::new(opened)))
}

/// By what an address is proved.
struct Proof {
    /// Whether a proof of the account was shown, too.
    shown: Shown,
    /// Whether the client of a flow goes on with it.
    goes_on: bool,
}

/// Proves the account's address, and returns the password that was removed with it.
async fn prove_address(
    tx: &mut Tx,
    app: &App,
    user: &mut User,
    proof: Proof,
    now: Timestamp,
) -> Result<Option<String>, ApiError> {
    let mut removed = proving::prove(tx, user, proof.shown, now).await?;
    if app.policy.keep_sign_up_password {
        user.password_hash = user.password_hash.take().or(removed.take());
    }
    // Name and phone are those of who chose the password. The client of a flow has signed up.
    if removed.is_some() && !proof.goes_on {
        user.describe(json!({}), now);
    }
    Ok(removed)
}

/// Whether the code is presented by the client that created the account. The code proves only the
/// address; the account and its password may be a stranger's.
fn is_creator(app: &App, user: &User, (purpose, redeemer): (Purpose, &Redeemer)) -> bool {
    let secret = redeemer.sign_up_secret.as_deref().unwrap_or_default();
    let shown = app.codes.is_sign_up_secret(user.user_id, secret);
    // A recovery says that the password is not known.
    let keeps = matches!(purpose, Purpose::Signup | Purpose::Magiclink);
    keeps && shown
}

/// Lets the flow's client exchange its code. A password that was removed goes along, because that
/// client has signed up with it.
async fn go_on(
    tx: &mut Tx,
    user: &User,
    (flow_state_id, removed): (Uuid, Option<&str>),
    now: Timestamp,
) -> Result<Redeemed, ApiError> {
    users::update(tx.connection(), user).await?;
    let Some(flow) = flow_states::lock(tx, flow_state_id, now).await? else {
        return Ok(Redeemed::Invalid);
    };
    flow_states::issue_code(tx, flow_state_id, (user.user_id, removed), now).await?;
    Ok(Redeemed::AuthCode(flow.auth_code))
}
