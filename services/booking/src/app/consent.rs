//! The client's own consent: read, as a file, and withdrawn. It is given with a booking
//! (`request_booking`).

use std::sync::Arc;

use eventstore::{Metadata, request_hash};
use kernel::id::{Booking, Consent, Customer};
use kernel::{Id, Timestamp};
use service::IdempotencyKey;

use super::App;
use super::request::parse_key;
use crate::domain::consent::GivenConsent;
use crate::domain::consent::document::{self, Document};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::consents;
use crate::read_model::view::{self, View};
use crate::repository::{self, customer_lock};

/// The method's name, stored with its idempotency keys.
const METHOD: &str = "WithdrawConsent";

/// A customer's consent to today's terms, or else the last one that was given.
pub async fn own_consent(
    app: &App,
    customer_id: Id<Customer>,
) -> Result<Option<GivenConsent>, Error> {
    let version = &app.consent.terms.version;
    Ok(consents::of_customer(app.store.pool(), customer_id, version).await?)
}

/// A customer's consent as a file.
///
/// # Errors
/// `ConsentNotFound` when the caller has no such consent.
pub async fn consent_file(
    app: &App,
    customer_id: Id<Customer>,
    id: &str,
) -> Result<Document, Error> {
    let not_found = || refuse(Rejection::ConsentNotFound);
    let id: Id<Consent> = id.parse().map_err(|_malformed| not_found())?;
    let pool = app.store.pool();
    let given = consents::by_id(pool, id).await?;
    let given = given.filter(|given| given.customer_id == customer_id).ok_or_else(not_found)?;
    let text = consents::text(pool, &given.version).await?.ok_or_else(not_found)?;
    let identity = &app.practice.practice;
    let practice = (identity.name.as_str(), &identity.zone);
    Ok(document::write(&given, &text, practice, &app.consent.fingerprints))
}

/// Withdraws every consent of a customer that is in force, and returns the last one. Bookings stay
/// as they are.
///
/// # Errors
/// `ConsentNotFound` when the customer has never given one.
pub async fn withdraw_consent(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    key: &str,
) -> Result<GivenConsent, Error> {
    let key = Arc::new(IdempotencyKey {
        caller: customer_id.to_string(),
        method: METHOD,
        key: parse_key(key)?,
        hash: request_hash(&[]),
    });
    let metadata = Metadata::traced(customer_id.to_string());
    let app_for_task = Arc::clone(app);
    let withdrawn = app
        .store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.lock(&[key.lock_name(), customer_lock(customer_id)]).await?;
                let not_found = || refuse(Rejection::ConsentNotFound);
                if let Some(id) = key.lookup(tx).await? {
                    return consents::by_id(tx.connection(), id).await?.ok_or_else(not_found);
                }
                let now = tx.now().await?;
                repository::consents::withdraw(tx, customer_id, now).await?;
                let version = &app.consent.terms.version;
                let last = consents::of_customer(tx.connection(), customer_id, version).await?;
                let last = last.ok_or_else(not_found)?;
                key.store(tx, last.id).await?;
                Ok(last)
            })
        })
        .await?;
    tracing::info!(consent_id = %withdrawn.id, "a consent was withdrawn");
    Ok(withdrawn)
}

/// What is known of a file that says it is a consent.
#[derive(Debug, Clone)]
pub struct VerifiedFile {
    /// Whether the practice handed out exactly these words.
    pub genuine: bool,
    /// The consent of a genuine file as it is now; `None` when it was erased.
    pub consent: Option<GivenConsent>,
}

/// Verifies a consent file. A file that is not genuine says nothing about any consent.
///
/// # Errors
/// `InvalidConsentFile` when it is no such file.
pub async fn verify_file(app: &App, content: &str) -> Result<VerifiedFile, Error> {
    let verified = document::verify(content, &app.consent.fingerprints)
        .ok_or(refuse(Rejection::InvalidConsentFile))?;
    let consent = match verified.genuine {
        true => consents::by_id(app.store.pool(), verified.id).await?,
        false => None,
    };
    Ok(VerifiedFile { genuine: verified.genuine, consent })
}

/// Confirmed online bookings still to come whose customers have withdrawn every consent, and when;
/// soonest first.
pub async fn bookings_without_consent(app: &App) -> Result<Vec<(View, Timestamp)>, Error> {
    let pool = app.store.pool();
    let found = consents::without_consent(pool, app.store.now().await?).await?;
    let ids: Vec<_> = found.iter().map(|(id, _withdrawn_at)| *id).collect();
    let views = view::load_all(pool, &app.practice, &ids).await?;
    let withdrawn = |view: View| {
        let id: Id<Booking> = view.booking.booking_id.parse().ok()?;
        let (_id, at) = found.iter().find(|(found, _at)| *found == id)?;
        Some((view, *at))
    };
    Ok(views.into_iter().filter_map(withdrawn).collect())
}
