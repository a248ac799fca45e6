//! The page of a booking by the key in its address, without a sign-in. On it a booking that staff
//! made by phone is agreed to and paid.

use std::sync::Arc;

use contract::booking::v1::{AcceptTermsRequest, BookingState};
use eventstore::{Metadata, Tx, request_hash};
use jiff::civil::Weekday;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp, hex};
use practice::Practice;

use super::App;
use super::cancel_booking::unwritten_policy;
use super::consent_codes::check_code;
use super::consent_proof::check_signer;
use super::open_checkout::grow_minutes;
use super::page_keys::{FoundKey, PageKeyPurpose, find_open, find_session_page};
use super::request::{parse_consent, parse_shown};
use crate::domain::booking::{Command, Facts, Mode};
use crate::domain::consent::Consent;
use crate::domain::consent::proof::Proof;
use crate::domain::shown_texts::{Acceptance, ShownTexts};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::refunds::{self, Shown};
use crate::read_model::view::View;
use crate::read_model::{consents, project, query};
use crate::repository::consents::NewConsent;
use crate::repository::{self, LockedBooking, accepted_terms, phone_bookings};

/// What a practice may name as the days of a refund.
const REFUND_DAYS_MAX: i64 = 90;

/// What the holder of a page's key is shown. Of the view only a part.
#[derive(Clone)]
pub struct Page {
    /// The key with its booking.
    pub key: FoundKey,
    /// Whether a consent to online sessions is still to be given.
    pub needs_consent: bool,
    /// The money that goes or went back.
    pub refund: Shown,
    /// Whether it is signed with a code: staff have seen the key, which alone signs nothing.
    pub needs_code: bool,
}

/// Who signs on a page: what the gateway told of the request, and the account that is signed in.
#[derive(Clone, Default)]
pub struct PageSigner {
    /// By which way the consent comes.
    pub proof: Proof,
    /// The account and its address, if one is signed in. Personal data.
    pub account: Option<(Id<Customer>, String)>,
}

/// The page of a key, of a booking by phone or of an account's.
///
/// # Errors
/// `BookingNotFound`, or why the key has ended.
pub async fn page(app: &App, key: &str) -> Result<Page, Error> {
    page_of(app, find_session_page(app, key).await?).await
}

async fn page_of(app: &App, key: FoundKey) -> Result<Page, Error> {
    let needs_consent = consent_missing(app, &key.view).await?;
    let refund = refunds::shown(app.store.pool(), key.booking_id).await?;
    let needs_code = needs_consent && key.seen_by_staff;
    Ok(Page { key, needs_consent, refund, needs_code })
}

/// By when the money that is on its way should arrive: so many days after it was requested as the
/// practice says at most, counted in business days where the practice says so.
#[must_use]
pub fn refund_due_at(practice: &Practice, refund: &Shown) -> Option<Timestamp> {
    let words = practice.policies.refund_days_text.to_lowercase();
    let digits = words.split(|letter: char| !letter.is_ascii_digit());
    let days = digits.filter_map(|number| number.parse::<i64>().ok()).max()?;
    let days = Some(days).filter(|days| words.contains("day") && *days <= REFUND_DAYS_MAX)?;
    let mut at = refund.requested_at?.in_zone(&practice.practice.zone);
    let is_business = words.contains("business") || words.contains("working");
    let mut counted = 0;
    while counted < days {
        at = at.tomorrow().ok()?;
        let is_weekend = matches!(at.weekday(), Weekday::Saturday | Weekday::Sunday);
        counted += i64::from(!(is_business && is_weekend));
    }
    Some(Timestamp::from_jiff(at.timestamp()))
}

/// Names a key in a proof, without being the key: its id, or a hash of one of a release before.
fn name_of(key: &FoundKey, page_key: &str) -> String {
    let hash = || format!("{:.16}", hex::encode(request_hash(page_key.as_bytes())));
    key.id.map_or_else(hash, |id| id.to_string())
}

/// Whether a booking that was made by phone lacks the consent to its online sessions.
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
/// `TermsNotAccepted`, `ConsentRequired`, the consent's own rejections and those of its code,
/// `NotSigned`, `BookingNotFound`, or `HoldEnded` when nothing can be paid any more.
pub async fn accept_terms(
    app: &Arc<App>,
    signer: PageSigner,
    request: AcceptTermsRequest,
) -> Result<Page, Error> {
    // What an account has booked is agreed to there.
    let key = find_open(app, &request.page_key, PageKeyPurpose::Page).await?;
    let known = page_of(app, key).await?;
    if !request.terms_accepted {
        return Err(refuse(Rejection::TermsNotAccepted));
    }
    let version = &app.consent.terms.version;
    let consent =
        request.consent.as_ref().map(|given| parse_consent(given, version)).transpose()?;
    let shown = parse_shown(request.shown.clone())?;
    let id = known.key.booking_id;
    let actor = known.key.view.customer_id.to_string();
    let metadata = Metadata::traced(actor).about(id.to_string());
    let is_held = matches!(
        known.key.view.booking.state(),
        BookingState::Held | BookingState::AwaitingPayment
    );
    if known.needs_consent && !is_held {
        return Err(refuse(Rejection::HoldEnded));
    }
    // A consent that is not proved is none.
    let signed = match consent.filter(|_| known.needs_consent) {
        Some(consent) => Some((consent, prove(app, signer, &known, &request).await?)),
        None => None,
    };
    let (app_for_task, given) = (Arc::clone(app), Arc::new((signed, shown)));
    app.store
        .write(metadata, move |tx| {
            let (app, given) = (Arc::clone(&app_for_task), Arc::clone(&given));
            Box::pin(async move {
                let (signed, shown) = &*given;
                let signed = signed.as_ref().map(|(consent, proof)| (consent, proof));
                accept(tx, &app, id, (signed, shown)).await
            })
        })
        .await?;
    page(app, &request.page_key).await
}

/// Proves that the client signs: by the code that was mailed, where staff have seen the key. A
/// member of the practice that is signed in signs only in the own booking.
async fn prove(
    app: &Arc<App>,
    signer: PageSigner,
    page: &Page,
    request: &AcceptTermsRequest,
) -> Result<Proof, Error> {
    let contact =
        page.key.view.booking.contact.as_ref().ok_or(refuse(Rejection::BookingNotFound))?;
    if let Some((account, email)) = &signer.account {
        check_signer(app, (*account, email), &contact.email).await?;
    }
    let mut proof = Proof { page_key: Some(name_of(&page.key, &request.page_key)), ..signer.proof };
    if page.needs_code {
        let typed = check_code(app, &page.key.view, &request.consent_code).await?;
        proof.code_mailed_to = Some(typed.mailed_to);
        proof.code_confirmed_at = Some(typed.confirmed_at);
    }
    Ok(proof)
}

async fn accept(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    (signed, shown): (Option<(&Consent, &Proof)>, &ShownTexts),
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
        let (consent, proof) = signed.ok_or(refuse(Rejection::ConsentRequired))?;
        let customer_id = facts.customer_id;
        let given = NewConsent { customer_id, booking_id: id, consent, proof };
        repository::consents::insert(tx, &app.consent.terms, &[given], now).await?;
    }
    phone_bookings::accept_terms(tx, id, now).await?;
    if !is_accepted {
        let unwritten = unwritten_policy(tx, app).await?;
        let notice_hours = facts.policy(&unwritten).notice_hours().into();
        accepted_terms::insert(tx, id, Acceptance { shown, notice_hours }, now).await?;
    }
    let open = Command::OpenCheckout { grow_minutes: grow_minutes(app), now };
    if locked.apply(tx, open).await?.is_empty() {
        project::touch(tx, id).await?;
    }
    Ok(())
}

async fn needs_consent(tx: &mut Tx, app: &App, facts: &Facts) -> Result<bool, Error> {
    if facts.mode != Mode::Online {
        return Ok(false);
    }
    let version = &app.consent.terms.version;
    let given = consents::of_customer(tx.connection(), facts.customer_id, version).await?;
    Ok(!given.is_some_and(|given| given.is_current(version)))
}
