//! The codes with which a consent on the page of a booking by phone is signed. A key that staff
//! have seen signs nothing alone: the code goes to the address that the booking has. Those for acts
//! on a page (`page_codes`) are tried and mailed in the same way.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use super::page_keys::{FoundKey, PageKeyPurpose, find_open};
use crate::domain::consent::code::{self, CodePurpose, CodesOf, SignatureError};
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
    let of = CodesOf { booking_id: id, purpose: CodePurpose::Consent };
    let recent = consent_codes::requested(tx, of, now.plus_minutes(-code::BUDGET_MINUTES)).await?;
    match code::may_request(&recent, now) {
        code::Budget::JustRequested => return Ok(()),
        code::Budget::Spent => return Err(unsigned(SignatureError::TooManyCodes)),
        code::Budget::Free => {}
    }
    let number = locked.request_consent_code(tx).await?;
    consent_codes::insert(tx, of, number, now).await?;
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
pub async fn code_mail(app: &App, of: CodesOf, number: i64) -> Result<CodeMail, Error> {
    let gone = || refuse(Rejection::BookingNotFound);
    let pool = app.store.pool();
    let view = view::load(pool, &app.practice, of.booking_id).await?.ok_or_else(gone)?;
    let contact = view.booking.contact.ok_or_else(gone)?;
    let now = app.store.now().await?;
    let row = consent_codes::newest(pool, of).await?;
    let row = row.filter(|row| row.number == number && row.works(now)).ok_or_else(gone)?;
    let code = app.consent_codes.code(of, row.number, &contact.email);
    let minutes = code::VALID_MINUTES;
    Ok(CodeMail { email: contact.email, first_name: contact.first_name, code, minutes })
}

/// Which code was typed, and when.
#[derive(Debug, Clone)]
pub struct TypedCode {
    /// Its number.
    pub number: i64,
    /// The address that it was mailed to. Personal data.
    pub mailed_to: String,
    /// When it was typed.
    pub confirmed_at: Timestamp,
}

/// What became of a typed code.
pub(super) enum Tried {
    /// It is the one that was mailed.
    Right(TypedCode),
    /// It is another one.
    Wrong,
    /// None is there that works.
    Ended,
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
    let typed = kernel::typed::digits(typed);
    if typed.is_empty() {
        return Err(unsigned(SignatureError::CodeRequired));
    }
    match try_code(app, CodePurpose::Consent, view, typed).await? {
        Tried::Right(code) => Ok(code),
        Tried::Wrong => Err(unsigned(SignatureError::CodeWrong)),
        Tried::Ended => Err(unsigned(SignatureError::CodeEnded)),
    }
}

/// Tries typed digits, and stores that before the answer.
pub(super) async fn try_code(
    app: &Arc<App>,
    purpose: CodePurpose,
    view: &View,
    digits: String,
) -> Result<Tried, Error> {
    let of = CodesOf { booking_id: booking_of(view)?, purpose };
    let gone = || refuse(Rejection::BookingNotFound);
    let mailed_to = view.booking.contact.as_ref().ok_or_else(gone)?.email.clone();
    let actor = view.customer_id.to_string();
    let metadata = Metadata::traced(actor).about(of.booking_id.to_string());
    let shared = Arc::new((Arc::clone(app), digits, mailed_to));
    app.store
        .write(metadata, move |tx| {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (app, digits, email) = &*shared;
                let now = tx.now().await?;
                let row = consent_codes::try_newest(tx, of).await?;
                let Some(row) = row.filter(|row| row.works(now)) else { return Ok(Tried::Ended) };
                if app.consent_codes.code(of, row.number, email) != *digits {
                    return Ok(Tried::Wrong);
                }
                consent_codes::confirm(tx, of, row.number, now).await?;
                let mailed_to = email.clone();
                Ok(Tried::Right(TypedCode { number: row.number, mailed_to, confirmed_at: now }))
            })
        })
        .await
}

fn unsigned(why: SignatureError) -> Error {
    refuse(Rejection::NotSigned(why))
}

fn booking_of(view: &View) -> Result<Id<Booking>, Error> {
    view.booking.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))
}
