//! The page on which a booking that staff made by phone is agreed to and paid, without an account.
//! The key in its address is derived from the booking's id.

use std::sync::Arc;

use contract::booking::v1::AcceptTermsRequest;
use eventstore::{Metadata, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use super::open_checkout::grow_minutes;
use super::placement::apply_effects;
use super::request::parse_consent;
use crate::domain::booking::{Command, Facts, Mode};
use crate::domain::consent::Consent;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};
use crate::read_model::{consents, project, query};
use crate::repository::consents::NewConsent;
use crate::repository::{self, LockedBooking, phone_bookings};

/// What the holder of a page's key is shown. Of the view only a part.
#[derive(Clone)]
pub struct Page {
    /// The booking.
    pub view: View,
    /// Whether a consent to online sessions is still to be given.
    pub needs_consent: bool,
}

/// The page of a key.
///
/// # Errors
/// `BookingNotFound`, also for a booking that was not made by phone.
pub async fn page(app: &App, key: &str) -> Result<Page, Error> {
    let id = app.page_keys.booking(key)?;
    let view = view::load(app.store.pool(), &app.practice, id).await?;
    let view =
        view.filter(|view| view.origin.is_by_phone()).ok_or(refuse(Rejection::BookingNotFound))?;
    let needs_consent = consent_missing(app, &view).await?;
    Ok(Page { view, needs_consent })
}

/// Whether a booking that was made by phone lacks the consent to its online sessions.
///
/// # Errors
/// When the database does not answer.
pub async fn consent_missing(app: &App, view: &View) -> Result<bool, Error> {
    if !view.origin.is_by_phone()
        || view.booking.mode() != contract::booking::v1::SessionMode::Online
    {
        return Ok(false);
    }
    let version = &app.consent.terms.version;
    let given = consents::of_customer(app.store.pool(), view.customer_id, version).await?;
    Ok(!given.is_some_and(|given| given.is_current(version)))
}

/// Accepts the terms of a page, with the consent where one is needed, and extends the hold as
/// opening the checkout does. What was accepted before stays as it is.
///
/// # Errors
/// `TermsNotAccepted`, `ConsentRequired`, the consent's own rejections, `BookingNotFound`, or
/// `HoldEnded` when nothing can be paid any more.
pub async fn accept_terms(app: &Arc<App>, request: AcceptTermsRequest) -> Result<Page, Error> {
    let known = page(app, &request.page_key).await?;
    if !request.terms_accepted {
        return Err(refuse(Rejection::TermsNotAccepted));
    }
    let version = &app.consent.terms.version;
    let consent = request.consent.map(|given| parse_consent(&given, version)).transpose()?;
    let id = app.page_keys.booking(&request.page_key)?;
    let actor = known.view.customer_id.to_string();
    let metadata = Metadata::by(actor, runtime::telemetry::traceparent()).about(id.to_string());
    let (app_for_task, consent) = (Arc::clone(app), Arc::new(consent));
    app.store
        .write(metadata, move |tx| {
            let (app, consent) = (Arc::clone(&app_for_task), Arc::clone(&consent));
            Box::pin(async move { accept(tx, &app, id, consent.as_ref().as_ref()).await })
        })
        .await?;
    page(app, &request.page_key).await
}

async fn accept(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    consent: Option<&Consent>,
) -> Result<(), Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let mut locked = LockedBooking::load(tx, &app.rules, id).await?.ok_or_else(not_found)?;
    let facts = locked.state.facts().cloned().ok_or_else(not_found)?;
    let needs_consent = needs_consent(tx, app, &facts).await?;
    let is_accepted = query::terms_accepted_at(tx.connection(), id).await?.is_some();
    if is_accepted && !needs_consent {
        return Ok(());
    }
    let now: Timestamp = locked.now;
    if locked.state.held_until().is_none_or(|until| until <= now) {
        return Err(refuse(Rejection::HoldEnded));
    }
    if needs_consent {
        let consent = consent.ok_or(refuse(Rejection::ConsentRequired))?;
        let given = NewConsent { customer_id: facts.customer_id, booking_id: id, consent };
        repository::consents::insert(tx, &app.consent.terms, &[given], now).await?;
    }
    phone_bookings::accept_terms(tx, id, now).await?;
    let open = Command::OpenCheckout { grow_minutes: grow_minutes(app), now };
    let events = locked.apply(tx, open).await?;
    if events.is_empty() {
        project::touch(tx, id).await?;
    }
    apply_effects(tx, &mut locked, id, &events).await
}

async fn needs_consent(tx: &mut Tx, app: &App, facts: &Facts) -> Result<bool, Error> {
    if facts.mode != Mode::Online {
        return Ok(false);
    }
    let version = &app.consent.terms.version;
    let given = consents::of_customer(tx.connection(), facts.customer_id, version).await?;
    Ok(!given.is_some_and(|given| given.is_current(version)))
}
