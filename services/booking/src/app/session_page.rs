//! What a client does on a booking's page without a sign-in, by the key of a mail: the same as a
//! signed-in client, decided by the same functions.

use std::sync::Arc;

use contract::booking::v1 as wire;
use kernel::CommandError;

use super::App;
use super::move_booking::move_own_booking;
use super::move_times::preview_own_move;
use super::own_actor::OwnActor;
use super::own_cancellation::{
    ShownCancellation, cancel_own_booking, preview_own_cancellation, undo_cancellation,
};
use super::own_details::tell_late;
use super::page_codes::check_page_code;
use super::page_keys::{FoundKey, find_session_page};
use crate::domain::page_code::{PageAct, PageCodeError};
use crate::error::{Error, Rejection};

/// What a cancellation now would do, and whether it needs a code; nothing is changed.
///
/// # Errors
/// `BookingNotFound` or why the key has ended, and those of the cancellation.
pub async fn preview_cancellation(
    app: &Arc<App>,
    request: &wire::PreviewPageCancellationRequest,
) -> Result<(ShownCancellation, bool), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let asked = wire::PreviewOwnCancellationRequest {
        booking_id: found.booking_id.to_string(),
        session_number: request.session_number,
    };
    let shown = preview_own_cancellation(app, by_key(&found), &asked).await?;
    let numbers = shown.own.sessions.iter().filter_map(|number| i32::try_from(*number).ok());
    let is_displaced = numbers.into_iter().any(|number| is_displaced(&found, number));
    let needs_code = PageAct::Cancel { loses: shown.own.loses }.needs_code(is_displaced);
    Ok((shown, needs_code))
}

/// Cancels the booking of a page, or one session of it.
///
/// # Errors
/// As [`preview_cancellation`], `RefundFell`, and that a code is needed or not right.
pub async fn cancel(app: &Arc<App>, request: wire::CancelByPageRequest) -> Result<(), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let asked = wire::CancelOwnBookingRequest {
        idempotency_key: request.idempotency_key,
        booking_id: found.booking_id.to_string(),
        session_number: request.session_number,
        shown_refund: request.shown_refund,
        // The page shows none, and the sum decides.
        expected_version: 0,
    };
    let act = |actor| cancel_own_booking(app, actor, asked.clone());
    with_code(app, &found, &request.code, act).await
}

/// Takes a cancellation back.
///
/// # Errors
/// `BookingNotFound` or why the key has ended, and `CancellationTookEffect`.
pub async fn undo(app: &Arc<App>, request: wire::UndoByPageRequest) -> Result<(), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let (idempotency_key, booking_id) = (request.idempotency_key, found.booking_id.to_string());
    let asked = wire::UndoCancellationRequest { idempotency_key, booking_id };
    undo_cancellation(app, by_key(&found), &asked).await.map(drop)
}

/// The times to which a session can be moved, and whether that needs a code.
///
/// # Errors
/// `BookingNotFound` or why the key has ended, and why the session can't be moved.
pub async fn preview_move(
    app: &App,
    request: wire::PreviewPageMoveRequest,
) -> Result<(wire::PreviewOwnMoveResponse, bool), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let needs_code = PageAct::Move.needs_code(is_displaced(&found, request.session_number));
    let asked = wire::PreviewOwnMoveRequest {
        booking_id: found.booking_id.to_string(),
        session_number: request.session_number,
        from_date: request.from_date,
        days: request.days,
    };
    Ok((preview_own_move(app, by_key(&found), &asked).await?, needs_code))
}

/// Moves a session of the booking of a page.
///
/// # Errors
/// As [`preview_move`], `ChangedSince`, and that a code is needed or not right.
pub async fn relocate(app: &Arc<App>, request: wire::MoveByPageRequest) -> Result<(), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let asked = wire::MoveOwnBookingRequest {
        idempotency_key: request.idempotency_key,
        booking_id: found.booking_id.to_string(),
        session_number: request.session_number,
        shown_starts_at: request.shown_starts_at,
        starts_at: request.starts_at,
    };
    let act = |actor| move_own_booking(app, actor, asked.clone());
    with_code(app, &found, &request.code, act).await
}

/// Notes that the client will be late.
///
/// # Errors
/// `BookingNotFound` or why the key has ended, `SessionNotFound`, `InvalidMinutes` or `NotLate`.
pub async fn be_late(app: &Arc<App>, request: &wire::TellLateByPageRequest) -> Result<(), Error> {
    let found = find_session_page(app, &request.page_key).await?;
    let asked = wire::TellLateRequest {
        booking_id: found.booking_id.to_string(),
        session_number: request.session_number,
        minutes: request.minutes,
    };
    tell_late(app, by_key(&found), &asked).await.map(drop)
}

fn by_key(found: &FoundKey) -> OwnActor {
    OwnActor::by_key(found.view.customer_id)
}

/// Whether the practice asks for another time of a session; 0 means the one of a single booking.
fn is_displaced(found: &FoundKey, number: i32) -> bool {
    let proposal = found.view.booking.move_proposal.as_ref();
    proposal.is_some_and(|proposal| proposal.session_number == number.max(1))
}

/// Acts by the key alone. Only where that is refused the typed code is tried, so that a repeat
/// needs none, and an act that loses nothing uses none up.
async fn with_code<T, F>(
    app: &Arc<App>,
    found: &FoundKey,
    typed: &str,
    act: impl Fn(OwnActor) -> F,
) -> Result<(), Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let digits = kernel::typed::digits(typed);
    match act(by_key(found)).await {
        Err(CommandError::Rejected(Rejection::PageCode(PageCodeError::Required)))
            if !digits.is_empty() =>
        {
            let number = check_page_code(app, &found.view, digits).await?;
            act(OwnActor::by_code(found.view.customer_id, number)).await.map(drop)
        }
        done => done.map(drop),
    }
}
