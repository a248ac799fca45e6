//! Begins the payment of a booking in the way that the customer chose: by the checkout, for its one
//! order, or by a payment link. The intent is recorded before the provider is called. Who turns to
//! the checkout gets it only when no link can be paid any more; who turns to a link may have a
//! checkout open, whose order cannot be cancelled: of the money of both, one goes back.

use std::sync::Arc;

use eventstore::new_id;
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::end_link::end_link;
use super::ensure_link::ensure_link;
use super::ensure_order::ensure_order;
use super::idempotency::IdempotencyKey;
use super::{App, metadata, traced};
use crate::clients::booking::BookingFacts;
use crate::domain::collection::{Collection, Command, Terms};
use crate::domain::link::{LinkStatus, Withdrawal};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::links;
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;

/// How a booking is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By the checkout on our page.
    Checkout,
    /// By a payment link.
    Link,
}

/// The collection with its order or its payment link, created or found again.
///
/// # Errors
/// `BookingNotFound`, `IdempotencyKeyReused`, `HoldEnded`, `AlreadyPaid`, `InvalidPrice`,
/// `MethodChanged`, `TooManyLinks`, `ProviderUnavailable`, or that a part is down.
pub async fn start_payment(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    method: Method,
    key: &IdempotencyKey,
) -> Result<CollectionRow, Error> {
    let known = query::collection(app.store.pool(), booking_id).await?;
    if let Some(row) = &known
        && row.customer_id == customer_id
        && row.is_at_provider()
        && row.standing.has_money()
    {
        key.check_or_store(app, booking_id).await?;
        return Ok(row.clone());
    }
    // Right after a booking was adopted, only booking knows its owner.
    let facts = app.bookings.facts(booking_id).await?;
    if facts.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    start(app, (&facts, known), method, key).await
}

/// The collection of a booking that staff made by phone, with its payment link, for the holder of
/// its page's key.
///
/// # Errors
/// As [`start_payment`], with `BookingNotFound` when the key is not right.
pub async fn start_page_payment(
    app: &Arc<App>,
    page_key: &str,
    idempotency_key: &str,
) -> Result<CollectionRow, Error> {
    let facts = app.bookings.page_facts(page_key).await?;
    let key = IdempotencyKey::of_page(facts.booking_id, idempotency_key)?;
    let known = query::collection(app.store.pool(), facts.booking_id).await?;
    start(app, (&facts, known), Method::Link, &key).await
}

/// Begins the payment of a booking with these facts, after it is known that the caller may.
async fn start(
    app: &Arc<App>,
    (facts, known): (&BookingFacts, Option<CollectionRow>),
    method: Method,
    key: &IdempotencyKey,
) -> Result<CollectionRow, Error> {
    let BookingFacts { booking_id, customer_id, .. } = *facts;
    key.check_or_store(app, booking_id).await?;
    if let Some(row) = &known
        && row.is_at_provider()
        && row.standing.has_money()
    {
        return Ok(row.clone());
    }
    facts.check_agreed()?;
    let now = app.store.now().await?;
    let held_until = facts.held_until_at.filter(|until| *until > now);
    let held_until = held_until.ok_or(refuse(Rejection::HoldEnded))?;
    let trace = match known.and_then(|row| row.traceparent) {
        Some(trace) => Some(trace),
        None => query::announced_trace(app.store.pool(), booking_id).await?,
    };
    let terms = Terms { collection_id: new_id(), booking_id, customer_id, amount: facts.price };
    let work = async {
        record_intent(app, terms, method, trace.as_deref()).await?;
        match method {
            Method::Link => ensure_link(app, booking_id, held_until, trace.as_deref()).await,
            Method::Checkout => start_checkout(app, booking_id, trace.as_deref()).await,
        }
    };
    traced("start payment", booking_id, trace.as_deref(), work).await
}

/// The order, after every link was ended that can be paid; none while one was paid and its payment
/// is not known.
async fn start_checkout(
    app: &Arc<App>,
    booking_id: Id<Booking>,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let row = row.ok_or(refuse(Rejection::PaymentNotStarted))?;
    if row.link.is_some() {
        for link in links::of_booking(app.store.pool(), booking_id).await? {
            if link.link.is_payable() {
                end_link(app, &link, trace).await?;
            }
        }
        let row = query::collection(app.store.pool(), booking_id).await?;
        if let Some(row) = row.filter(|row| row.standing.has_money()) {
            return Ok(row);
        }
        // A link was paid and its payment is not known yet: the order would be paid besides.
        let links = links::of_booking(app.store.pool(), booking_id).await?;
        if links.iter().any(|row| row.link.status == LinkStatus::Paid) {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
    }
    ensure_order(app, booking_id, trace).await
}

/// Records what is collected; for the checkout, also that no link is handed out any more.
async fn record_intent(
    app: &App,
    terms: Terms,
    method: Method,
    trace: Option<&str>,
) -> Result<(), Error> {
    let actor = terms.customer_id.to_string();
    app.store
        .write(metadata(&actor, terms.booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, terms.booking_id).await?;
                // Booking may not know yet that it was paid at the desk.
                if locked.collection().is_some_and(Collection::is_paid_at_desk) {
                    return Err(refuse(Rejection::AlreadyPaid));
                }
                locked.apply(tx, Command::Open(terms)).await?;
                if method == Method::Checkout {
                    let why = Withdrawal::Checkout;
                    locked.apply(tx, Command::WithdrawLinks { why }).await?;
                }
                Ok(())
            })
        })
        .await
}
