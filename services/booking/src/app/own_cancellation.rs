//! A client cancels its own booking. It takes effect some minutes later, so that it can be taken
//! back, and what goes back is what the page has shown, or more.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert;
use eventstore::{Metadata, Tx};
use kernel::id::Booking;
use kernel::{Id, Money};
use service::{IdempotencyKey, once};

use super::App;
use super::cancel_booking::unwritten_policy;
use super::grace::{ClientGrace, GraceUse};
use super::open_checkout::load_owned;
use super::own_actor::{OwnActor, is_displaced};
use super::request::parse_key;
use crate::contract::read_number;
use crate::domain::booking::{
    Cancellation, CancelledBy, Command, Funds, OwnCancellation, RefundChoice, Timer,
};
use crate::domain::page_code::PageAct;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};
use crate::repository::LockedBooking;
use crate::timers::kinds;

/// The methods' names, stored with their idempotency keys.
const CANCEL: &str = "CancelOwnBooking";
const UNDO: &str = "UndoCancellation";

/// What a client is shown before it cancels.
#[derive(Debug, Clone)]
pub struct ShownCancellation {
    /// What the cancellation would do.
    pub own: OwnCancellation,
    /// What of it comes back by grace.
    pub grace: Option<GraceUse>,
}

/// What a cancellation now would do; nothing is changed.
///
/// # Errors
/// `BookingNotFound` for another account's, and those of the cancellation.
pub async fn preview_own_cancellation(
    app: &Arc<App>,
    actor: impl Into<OwnActor>,
    request: &wire::PreviewOwnCancellationRequest,
) -> Result<ShownCancellation, Error> {
    let customer_id = actor.into().customer_id;
    let (id, session) = read(&request.booking_id, request.session_number)?;
    let app_for_task = Arc::clone(app);
    app.store
        .write(Metadata::traced(customer_id.to_string()).about(id.to_string()), move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move {
                let locked = load_owned(tx, &app, customer_id, id).await?;
                let (cancellation, grace) = by_client(tx, &app, &locked, session).await?;
                let mut own = OwnCancellation::of(&locked.state, &cancellation, locked.now)
                    .map_err(|rejection| refuse(rejection.into()))?;
                own.refund = goes_back(tx, &app, id, &own).await?;
                let minor = own.by_grace.minor.min(own.refund.minor);
                let grace = grace.used(own.grace_times, Money { minor, ..own.refund });
                Ok(ShownCancellation { own, grace })
            })
        })
        .await
}

/// Cancels a client's own booking, or one session of it.
///
/// # Errors
/// `RefundFell` when less goes back than was shown, that a code is needed, and as
/// [`preview_own_cancellation`].
pub async fn cancel_own_booking(
    app: &Arc<App>,
    actor: impl Into<OwnActor>,
    mut request: wire::CancelOwnBookingRequest,
) -> Result<Id<Booking>, Error> {
    let actor: OwnActor = actor.into();
    let customer_id = actor.customer_id;
    let (id, session) = read(&request.booking_id, request.session_number)?;
    let shown = request.shown_refund.as_ref().and_then(convert::money);
    let shown = shown.ok_or(refuse(Rejection::InvalidShownRefund))?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = IdempotencyKey::of(&customer_id, CANCEL, key, &request);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        Box::pin(async move {
            let mut locked = load_owned(tx, app, customer_id, id).await?;
            let (cancellation, _grace) = by_client(tx, app, &locked, session).await?;
            // A refusal, and a repeat, is the command's to tell.
            if let Ok(own) = OwnCancellation::of(&locked.state, &cancellation, locked.now) {
                let refund = goes_back(tx, app, id, &own).await?;
                if refund.minor < shown.minor {
                    return Err(refuse(Rejection::RefundFell(refund)));
                }
                actor.prove(tx, id, needs_code(&locked, &own)).await?;
            }
            let command = Command::CancelLater { cancellation, shown, now: locked.now };
            locked.apply(tx, command).await?;
            tracing::info!(booking_id = %id, "its client cancels");
            Ok(())
        })
    });
    command.await
}

/// Takes a client's own cancellation back.
///
/// # Errors
/// `CancellationTookEffect`, and `BookingNotFound` for another account's.
pub async fn undo_cancellation(
    app: &Arc<App>,
    actor: impl Into<OwnActor>,
    request: &wire::UndoCancellationRequest,
) -> Result<Id<Booking>, Error> {
    let customer_id = actor.into().customer_id;
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

/// Whether it needs a code where a page's key lets the client in.
fn needs_code(locked: &LockedBooking, own: &OwnCancellation) -> bool {
    let is_displaced = own.sessions.iter().any(|number| is_displaced(&locked.state, *number));
    PageAct::Cancel { loses: own.loses }.needs_code(is_displaced)
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

async fn by_client(
    tx: &mut Tx,
    app: &App,
    locked: &LockedBooking,
    session: Option<usize>,
) -> Result<(Cancellation, ClientGrace), Error> {
    let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
    let unwritten = unwritten_policy(tx, app).await?;
    let grace = ClientGrace::of(tx, app, locked, &unwritten).await?;
    let grace_left = grace.left();
    Ok((Cancellation { by, refund, session, unwritten, grace_left }, grace))
}

fn read(booking_id: &str, session: i32) -> Result<(Id<Booking>, Option<usize>), Error> {
    let id = booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let session = match session {
        0 => None,
        number => Some(read_number(number).ok_or(refuse(Rejection::SessionNotFound))?),
    };
    Ok((id, session))
}
