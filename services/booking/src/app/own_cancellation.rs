//! A client cancels its own booking. It takes effect some minutes later, so that it can be taken
//! back, and what goes back is what the page has shown, or more.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert;
use eventstore::{Metadata, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Money};
use service::{IdempotencyKey, once};

use super::App;
use super::cancel_booking::unwritten_policy;
use super::open_checkout::load_owned;
use super::request::parse_key;
use crate::contract::read_number;
use crate::domain::booking::{
    Cancellation, CancelledBy, Command, Funds, OwnCancellation, RefundChoice, Timer,
};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};
use crate::repository::LockedBooking;
use crate::timers::kinds;

/// The methods' names, stored with their idempotency keys.
const CANCEL: &str = "CancelOwnBooking";
const UNDO: &str = "UndoCancellation";

/// What a cancellation now would do; nothing is changed.
///
/// # Errors
/// `BookingNotFound` for another account's, and those of the cancellation.
pub async fn preview_own_cancellation(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    request: &wire::PreviewOwnCancellationRequest,
) -> Result<OwnCancellation, Error> {
    let (id, session) = read(&request.booking_id, request.session_number)?;
    let app_for_task = Arc::clone(app);
    app.store
        .write(Metadata::traced(customer_id.to_string()).about(id.to_string()), move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move {
                let locked = load_owned(tx, &app, customer_id, id).await?;
                let cancellation = by_client(tx, &app, session).await?;
                let mut own = OwnCancellation::of(&locked.state, &cancellation, locked.now)
                    .map_err(|rejection| refuse(rejection.into()))?;
                own.refund = goes_back(tx, &app, id, &own).await?;
                Ok(own)
            })
        })
        .await
}

/// Cancels an account's booking, or one session of it.
///
/// # Errors
/// `RefundFell` when less goes back than was shown, and as [`preview_own_cancellation`].
pub async fn cancel_own_booking(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    mut request: wire::CancelOwnBookingRequest,
) -> Result<Id<Booking>, Error> {
    let (id, session) = read(&request.booking_id, request.session_number)?;
    let shown = request.shown_refund.as_ref().and_then(convert::money);
    let shown = shown.ok_or(refuse(Rejection::InvalidShownRefund))?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = IdempotencyKey::of(&customer_id, CANCEL, key, &request);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        Box::pin(async move {
            let mut locked = load_owned(tx, app, customer_id, id).await?;
            let cancellation = by_client(tx, app, session).await?;
            // A refusal, and a repeat, is the command's to tell.
            if let Ok(own) = OwnCancellation::of(&locked.state, &cancellation, locked.now) {
                let refund = goes_back(tx, app, id, &own).await?;
                if refund.minor < shown.minor {
                    return Err(refuse(Rejection::RefundFell(refund)));
                }
            }
            let command = Command::CancelLater { cancellation, shown, now: locked.now };
            locked.apply(tx, command).await?;
            tracing::info!(booking_id = %id, "its client cancels");
            Ok(())
        })
    });
    command.await
}

/// Takes an account's cancellation back.
///
/// # Errors
/// `CancellationTookEffect`, and `BookingNotFound` for another account's.
pub async fn undo_cancellation(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    request: &wire::UndoCancellationRequest,
) -> Result<Id<Booking>, Error> {
    let (id, _all) = read(&request.booking_id, 0)?;
    let key = IdempotencyKey::about(&customer_id, UNDO, parse_key(&request.idempotency_key)?, id);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        Box::pin(async move {
            let mut locked = load_owned(tx, app, customer_id, id).await?;
            locked.apply(tx, Command::UndoCancellation).await?;
            Ok(())
        })
    });
    command.await
}

/// Runs inside the transaction that ends the timer of a cancellation. If its time is still to come
/// because the clock was set back, the timer stays and fires again then.
pub async fn take_effect(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    if let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? {
        let (unwritten, now) = (unwritten_policy(tx, app).await?, locked.now);
        locked.apply(tx, Command::TakeEffect { unwritten, now }).await?;
        if locked.state.pending_cancellation().is_some() {
            return Ok(());
        }
    }
    let (kind, subject) = kinds::key(id, Timer::CancellationEffect);
    tx.end_timer(kind, &subject).await?;
    Ok(())
}

/// What really goes back: some of the money may be back already, or never have come.
async fn goes_back(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    own: &OwnCancellation,
) -> Result<Money, Error> {
    let view = view::load(tx.connection(), &app.practice, id).await?;
    let OwnCancellation { refund, promised_before, .. } = *own;
    let minor = |view: View| funds(&view.booking).goes_back(refund.minor, promised_before);
    Ok(Money { minor: view.map_or(refund.minor, minor), ..refund })
}

fn funds(booking: &wire::Booking) -> Funds {
    let minor = |money: &Option<_>| money.as_ref().and_then(convert::money).map(|it| it.minor);
    let price = minor(&booking.price).unwrap_or(0);
    let given = [&booking.refunded_otherwise, &booking.given_by_bank];
    Funds {
        price,
        // A payment that was only claimed may still come.
        brought: minor(&booking.paid).unwrap_or(price),
        given: given.into_iter().filter_map(minor).fold(0, i64::saturating_add),
    }
}

async fn by_client(tx: &mut Tx, app: &App, session: Option<usize>) -> Result<Cancellation, Error> {
    let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
    Ok(Cancellation { by, refund, session, unwritten: unwritten_policy(tx, app).await? })
}

fn read(booking_id: &str, session: i32) -> Result<(Id<Booking>, Option<usize>), Error> {
    let id = booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let session = match session {
        0 => None,
        number => Some(read_number(number).ok_or(refuse(Rejection::SessionNotFound))?),
    };
    Ok((id, session))
}
