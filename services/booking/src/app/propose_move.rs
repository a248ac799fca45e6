//! The practice can't hold a session and asks its client for another time, which the client chooses
//! as in a move of its own. Without a choice everything goes back.

use std::sync::Arc;

use contract::booking::v1::{ProposeMoveRequest, WithdrawMoveProposalRequest};
use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
use super::cancel_booking::unwritten_policy;
use super::move_booking::instant;
use super::move_reason::Said;
use super::move_times::{parse_id, parse_number};
use super::request::parse_key;
use crate::domain::booking::{Command, ProposedMove, Timer};
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;
use crate::timers::kinds;

/// The methods' names, in idempotency keys and the audit log.
pub const METHOD: &str = "ProposeMove";
/// See [`METHOD`].
pub const WITHDRAW: &str = "WithdrawMoveProposal";

/// Asks the client for another time.
///
/// # Errors
/// `BookingNotFound`, `MoveReason`, `ChangedSince`, `CancellationPending`, `MoveProposed`, and
/// `NotMovable` from the session's start on.
pub async fn propose_move(
    app: &Arc<App>,
    staff: Staff,
    mut request: ProposeMoveRequest,
) -> Result<Id<Booking>, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let id = parse_id(&request.booking_id)?;
    let asked = ProposedMove {
        session: parse_number(request.session_number)?,
        shown: instant(request.shown_starts_at.as_ref())?,
        opens_again: request.opens_again,
    };
    let said = Said::read(staff, &request.reason)?.ok_or(refuse(Rejection::MoveReason))?;
    let key = IdempotencyKey::of(&staff.id, METHOD, key, &request);
    let command = once(key, (&app.store, app), Some(staff), id, move |tx, app| {
        let said = said.clone();
        Box::pin(async move { propose(tx, app, id, asked, &said).await })
    });
    command.await
}

async fn propose(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    asked: ProposedMove,
    said: &Said,
) -> Result<(), Error> {
    let locked = LockedBooking::load(tx, &app.rules, id).await?;
    let mut locked = locked.ok_or(refuse(Rejection::BookingNotFound))?;
    let command = Command::ProposeMove { asked, now: locked.now };
    if !locked.apply(tx, command).await?.is_empty() {
        said.store(tx, id, asked.session).await?;
    }
    Ok(())
}

/// The session takes place at its time after all.
///
/// # Errors
/// `BookingNotFound`, `NoMoveProposal`, `CancellationPending`.
pub async fn withdraw_move_proposal(
    app: &Arc<App>,
    staff: Staff,
    request: &WithdrawMoveProposalRequest,
) -> Result<Id<Booking>, Error> {
    let id = parse_id(&request.booking_id)?;
    let key = IdempotencyKey::about(&staff.id, WITHDRAW, parse_key(&request.idempotency_key)?, id);
    let command = once(key, (&app.store, app), Some(staff), id, move |tx, app| {
        Box::pin(async move {
            let locked = LockedBooking::load(tx, &app.rules, id).await?;
            let mut locked = locked.ok_or(refuse(Rejection::BookingNotFound))?;
            let command = Command::WithdrawProposal { now: locked.now };
            locked.apply(tx, command).await?;
            Ok(())
        })
    });
    command.await
}

/// Runs inside the transaction that ends the timer of a proposal. If the end of the choice is still
/// to come because the clock was set back, the timer stays and fires again then.
pub async fn lapse_proposal(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    if let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? {
        let (unwritten, now) = (unwritten_policy(tx, app).await?, locked.now);
        locked.apply(tx, Command::LapseProposal { unwritten, now }).await?;
        if locked.state.move_proposal().is_some() {
            return Ok(());
        }
    }
    let (kind, subject) = kinds::key(id, Timer::ProposalEnd);
    tx.end_timer(kind, &subject).await?;
    Ok(())
}
