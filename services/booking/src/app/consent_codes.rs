//! The codes with which a consent on the page of a booking by phone is signed. A key that staff
//! have seen signs nothing alone: the code goes to the address that the booking has.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use super::page_keys::{FoundKey, PageKeyPurpose, find_open};
use crate::domain::consent::code::{self, SignatureError};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};
use crate::repository::{LockedBooking, consent_codes};

/// Has a code mailed to the client of a page's booking. Asking twice within seconds mails one.
///
/// # Errors
/// `BookingNotFound`, `HoldEnded`, or `TooManyCodes`.
pub async fn request_consent_code(app: &Arc<App>, page_key: &str) -> Result<(), Error> {
    let found = find_open(app, page_key, PageKeyPurpose::Page).await?;
    let FoundKey { booking_id: id, view, .. } = found;
    let actor = view.customer_id.to_string();
    let metadata = Metadata::traced(actor).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move { request(tx, &app, id).await })
        })
        .await?;
    tracing::info!(booking_id = %id, "a code for a consent was asked for");
    Ok(())
}

async fn request(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let mut locked = LockedBooking::load(tx, &app.rules, id).await?.ok_or_else(not_found)?;
    let now = locked.now;
    let recent = consent_codes::requested(tx, id, now.plus_minutes(-code::BUDGET_MINUTES)).await?;
    match code::may_request(&recent, now) {
        code::Budget::JustRequested => return Ok(()),
        code::Budget::Spent => return Err(unsigned(SignatureError::TooManyCodes)),
        code::Budget::Free => {}
    }
    let number = locked.request_consent_code(tx).await?;
    consent_codes::insert(tx, (id, number), now).await?;
    Ok(())
}

/// What the mail of a code must say.
#[derive(Clone)]
pub struct CodeMail {
    /// Where it goes. Personal data.
    pub email: String,
    /// The given name. Personal data.
    pub first_name: String,
    /// The six digits.
    pub code: String,
    /// For how many minutes it works.
    pub minutes: i64,
}

/// The mail of a code that still works.
///
/// # Errors
/// `BookingNotFound` also for one that does not work any more.
pub async fn code_mail(app: &App, id: Id<Booking>, number: i64) -> Result<CodeMail, Error> {
    let gone = || refuse(Rejection::BookingNotFound);
    let pool = app.store.pool();
    let view = view::load(pool, &app.practice, id).await?.ok_or_else(gone)?;
    let contact = view.booking.contact.ok_or_else(gone)?;
    let now = app.store.now().await?;
    let row = consent_codes::newest(pool, id).await?;
    let row = row.filter(|row| row.number == number && row.works(now)).ok_or_else(gone)?;
    let code = app.consent_codes.code(id, row.number, &contact.email);
    let minutes = code::VALID_MINUTES;
    Ok(CodeMail { email: contact.email, first_name: contact.first_name, code, minutes })
}

/// Which code was typed, and when.
#[derive(Debug, Clone)]
pub struct TypedCode {
    /// The address that it was mailed to. Personal data.
    pub mailed_to: String,
    /// When it was typed.
    pub confirmed_at: Timestamp,
}

/// Checks a typed code against the newest one that was mailed. Each try counts, also one whose
/// answer was lost.
///
/// # Errors
/// `CodeRequired` without one, `CodeWrong`, or `CodeEnded` when there is none that works.
pub(super) async fn check_code(
    app: &Arc<App>,
    view: &View,
    typed: &str,
) -> Result<TypedCode, Error> {
    let id = booking_of(view)?;
    let typed = kernel::typed::digits(typed);
    if typed.is_empty() {
        return Err(unsigned(SignatureError::CodeRequired));
    }
    let gone = || refuse(Rejection::BookingNotFound);
    let email = view.booking.contact.as_ref().ok_or_else(gone)?.email.clone();
    let actor = view.customer_id.to_string();
    let metadata = Metadata::traced(actor).about(id.to_string());
    let (app_for_task, mailed_to) = (Arc::clone(app), email.clone());
    let confirmed = app
        .store
        .write(metadata, move |tx| {
            let (app, typed, email) = (Arc::clone(&app_for_task), typed.clone(), email.clone());
            Box::pin(async move {
                let now = tx.now().await?;
                let row = consent_codes::try_newest(tx, id).await?;
                let row = row.filter(|row| row.works(now));
                let row = row.ok_or(unsigned(SignatureError::CodeEnded))?;
                let is_right = app.consent_codes.code(id, row.number, &email) == typed;
                if is_right {
                    consent_codes::confirm(tx, (id, row.number), now).await?;
                }
                Ok::<_, Error>(is_right.then_some(now))
            })
        })
        .await?;
    // The try is stored before it is refused.
    let confirmed_at = confirmed.ok_or(unsigned(SignatureError::CodeWrong))?;
    Ok(TypedCode { mailed_to, confirmed_at })
}

fn unsigned(why: SignatureError) -> Error {
    refuse(Rejection::NotSigned(why))
}

fn booking_of(view: &View) -> Result<Id<Booking>, Error> {
    view.booking.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))
}
