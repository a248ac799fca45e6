//! Staff want the address of the page of a booking that was made by phone, and may have it mailed.

use std::sync::Arc;

use contract::booking::v1::SendPaymentPageRequest;
use eventstore::{Act, Metadata, Tx};
use kernel::Id;
use kernel::id::Booking;
use service::IdempotencyKey;
use staff::Staff;

use super::App;
use super::page_keys::{self, NewPageKey, PageKeyPurpose};
use super::request::parse_key;
use crate::domain::booking::{Origin, State};
use crate::domain::page_standing::PageEnd;
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "SendPaymentPage";

/// The key that an answer shows to a member of the staff, to be read aloud; the same one for the
/// same request. A key of a mail is never shown.
pub async fn key_for_staff(
    app: &App,
    booking_id: Id<Booking>,
    staff: Staff,
    method: &str,
    key: &str,
) -> Result<String, Error> {
    let new = NewPageKey {
        booking_id,
        purpose: PageKeyPurpose::Page,
        made_for: &format!("{method} {} {key}", staff.id),
        mailed_to: "",
        seen_by_staff: true,
    };
    page_keys::issue(app, &new).await
}

/// Returns the booking, and has its page mailed if that was asked for; then the keys of before end.
///
/// # Errors
/// `BookingNotFound`, `NotByPhone`, or for a mail `HoldEnded`.
pub async fn send_payment_page(
    app: &Arc<App>,
    staff: Staff,
    mut request: SendPaymentPageRequest,
) -> Result<Id<Booking>, Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let send_mail = request.send_mail;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, METHOD, key, &request));
    let metadata = Metadata::traced(staff.id.to_string()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                send(tx, &app, (id, send_mail), &key).await
            })
        })
        .await?;
    Ok(id)
}

async fn send(
    tx: &mut Tx,
    app: &App,
    (id, send_mail): (Id<Booking>, bool),
    key: &IdempotencyKey,
) -> Result<(), Error> {
    let is_known = key.lookup::<Booking>(tx).await?.is_some();
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    match locked.state.facts().map(|facts| facts.origin) {
        Some(Origin::Phone) => {}
        Some(Origin::AdoptedPhone) => return Err(refuse(Rejection::BookingAdopted)),
        Some(Origin::Account) | None => return Err(refuse(Rejection::NotByPhone)),
    }
    if is_known {
        return Ok(());
    }
    if send_mail {
        // Where a time was given back there is nothing to show; else the page has the money.
        match locked.state {
            State::Confirmed { .. }
            | State::MeetingScheduled { .. }
            | State::Completed { .. }
            | State::Cancelled { .. }
            | State::PaidUnplaced { .. } => locked.renew_page(tx).await?,
            State::Absent
            | State::Held { .. }
            | State::AwaitingPayment { .. }
            | State::Expired { .. }
            | State::Released { .. } => locked.request_page(tx).await?,
        }
        // The mail has a new key, and so has the answer.
        page_keys::end(tx, app, (id, Some(PageKeyPurpose::Page)), PageEnd::Renewed).await?;
    }
    Ok(key.store(tx, id).await?)
}
