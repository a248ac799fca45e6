//! Holds a time and creates a booking.

use std::sync::Arc;
use std::time::Duration;

use contract::booking::v1::RequestBookingRequest;
use eventstore::Tx;
use futures::FutureExt as _;
use kernel::{CommandError, Timestamp};

use super::App;
use super::consent_proof::check_signer;
use super::free_session::Client;
use super::hold_batch::{HoldBatch, Outcome};
use super::package_choice::wanted_package;
use super::pending_request::{HeldBooking, PendingRequest, RequestedBooking};
use super::practitioner_choice::candidates;
use super::request::BookingRequest;
use super::requester::Requester;
use super::scheduled_event::give_back;
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};

/// Returns the booking that holds the time. A request for anyone asks one practitioner after the
/// other until one is free; a refused attempt stores nothing.
///
/// # Errors
/// The rejection; then nothing was changed.
pub async fn request_booking(
    app: &Arc<App>,
    client: impl Into<Client>,
    request: RequestBookingRequest,
) -> Result<HeldBooking, Error> {
    let details = BookingRequest::parse(request, &app.consent.terms.version)?;
    let client: Client = client.into();
    if let Some(consent) = &details.consent {
        check_signer(app, (client.customer_id, &client.email), consent.email()).await?;
    }
    hold(app, Requester::Client(Box::new(client)), details).await
}

/// Holds the times of a request.
///
/// # Errors
/// The rejection; then nothing was changed.
pub(super) async fn hold(
    app: &Arc<App>,
    requester: Requester,
    details: BookingRequest,
) -> Result<HeldBooking, Error> {
    let offering = app.catalogue.offering(&details.service_id).await?;
    let package = wanted_package(app, &details, &offering)?;
    let free = requester.free(&offering)?;
    let length = i64::from(offering.duration_minutes);
    let span = |start: &Timestamp| Span::new(*start, start.plus_minutes(length));
    let spans: Option<Vec<Span>> = details.starts.iter().map(span).collect();
    let spans = spans.ok_or(refuse(Rejection::InvalidStart))?;
    let wanted = details.practitioner_id.as_deref();
    let candidates = candidates(app, &offering, wanted, &details.starts).await?;
    let wanted = Arc::new(RequestedBooking {
        customer_id: requester.customer_id(),
        origin: requester.origin(),
        proof: requester.proof(),
        phone: requester.phone(),
        details,
        offering,
        package,
        spans,
        free,
    });
    let mut outcome = Err(refuse(Rejection::SlotTaken));
    for practitioner in candidates {
        outcome = submit(app, PendingRequest::to(&app.rules, &wanted, practitioner)).await;
        if !matches!(outcome, Err(CommandError::Rejected(Rejection::SlotTaken))) {
            break;
        }
    }
    let RequestedBooking { details, .. } = &*wanted;
    let event = details.scheduled_event_uri.clone().zip(details.starts.first().copied());
    if let (Err(error), Some(event)) = (&outcome, event) {
        give_back(app, event, error).await;
    }
    let held = outcome?;
    tracing::info!(booking_id = %held.id, "a time is held or booked");
    Ok(held)
}

async fn submit(app: &Arc<App>, request: PendingRequest) -> Result<HeldBooking, Error> {
    let committer = Arc::clone(app);
    let commit = move |batch, lock_timeout| {
        let app = Arc::clone(&committer);
        async move { hold_batch(&app, batch, lock_timeout).await }.boxed()
    };
    app.group_commit.submit(request, Arc::new(commit)).await
}

/// Holds the times of several requests in one transaction, each of a different customer. A rejected
/// request changes nothing and does not affect the others.
///
/// # Errors
/// Why the whole batch failed. When a lock isn't granted within `lock_timeout`, the error is
/// `Unavailable` with [`eventstore::StoreError::Held`] as its source.
async fn hold_batch(
    app: &Arc<App>,
    requests: Arc<[Arc<PendingRequest>]>,
    lock_timeout: Option<Duration>,
) -> Result<Vec<Outcome>, Error> {
    let metadata = requests.first().map(|request| request.metadata.clone()).unwrap_or_default();
    let app = Arc::clone(app);
    let store = app.store.clone();
    store
        .write(metadata, move |tx| {
            let (app, requests) = (Arc::clone(&app), Arc::clone(&requests));
            Box::pin(async move {
                take_locks(tx, &requests, lock_timeout).await?;
                HoldBatch::load(tx, &app, &requests).await?.hold(tx).await
            })
        })
        .await
}

async fn take_locks(
    tx: &mut Tx,
    requests: &[Arc<PendingRequest>],
    lock_timeout: Option<Duration>,
) -> Result<(), Error> {
    let locks: Vec<String> = requests.iter().flat_map(|request| request.locks()).collect();
    match lock_timeout {
        Some(lock_timeout) => tx.lock_within(&locks, lock_timeout).await?,
        None => tx.lock(&locks).await?,
    }
    Ok(())
}
