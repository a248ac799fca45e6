//! Begins the payment of a booking in the way that the customer chose: by the checkout, for its one
//! order, or by a payment link. The intent is recorded before the provider is called. Who turns to
//! the checkout gets it only when no link can be paid any more; who turns to a link may have a
//! checkout open, whose order cannot be cancelled: of the money of both, one goes back.

use std::sync::Arc;

use eventstore::{IdempotencyKey, Tx, new_id};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use super::end_link::end_link;
use super::ensure_link::ensure_link;
use super::ensure_order::{NewOrder, create, ensure_order};
use super::idempotency::{check_or_store, check_or_store_in, key_of_page};
use super::lease::{LEASE_SECONDS, holding, uncancelled};
use super::{App, metadata, traced};
use crate::clients::booking::BookingFacts;
use crate::domain::collection::{Collection, Command, Terms};
use crate::domain::link::{LinkStatus, Withdrawal};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::links;
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;
use crate::repository::leases::{self, Creation};

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
    let known = query::begun(app.store.pool(), booking_id).await?;
    if let (Some(row), _) = &known
        && row.customer_id == customer_id
        && row.is_at_provider()
        && row.standing.has_money()
    {
        check_or_store(app, key, booking_id).await?;
        return Ok(row.clone());
    }
    // Right after a booking was adopted, only booking knows its owner.
    let facts = app.bookings.facts(booking_id).await?;
    if facts.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    start(app, (facts, known), method, key).await
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
    let key = key_of_page(facts.booking_id, idempotency_key)?;
    let known = query::begun(app.store.pool(), facts.booking_id).await?;
    start(app, (facts, known), Method::Link, &key).await
}

/// Begins the payment of a booking with these facts, after it is known that the caller may; with
/// what is known of it, and the trace in which the booking began.
async fn start(
    app: &Arc<App>,
    (facts, (known, trace)): (BookingFacts, (Option<CollectionRow>, Option<String>)),
    method: Method,
    key: &IdempotencyKey,
) -> Result<CollectionRow, Error> {
    let booking_id = facts.booking_id;
    if let Some(row) = &known
        && row.is_at_provider()
        && row.standing.has_money()
    {
        check_or_store(app, key, booking_id).await?;
        return Ok(row.clone());
    }
    let intent = Intent { facts, method, key: key.clone(), trace: trace.clone() };
    let app = Arc::clone(app);
    // The lease of a new order is acquired with the intent, so that a caller who is gone must not
    // stop what follows it.
    let work = uncancelled(async move {
        let begun = record_intent(&app, &intent).await?;
        let Begun { row, lease, held_until } = begun;
        let trace = intent.trace;
        match (method, lease) {
            (Method::Link, _) => ensure_link(&app, booking_id, held_until, trace.as_deref()).await,
            (Method::Checkout, Some(lease)) => {
                let wanted = NewOrder { row, held_until, trace };
                let create = create(&app, wanted, lease);
                holding(&app, booking_id, (Creation::Order, lease), create).await
            }
            (Method::Checkout, None) => {
                start_checkout(&app, NewOrder { row, held_until, trace }).await
            }
        }
    });
    traced("start payment", booking_id, trace.as_deref(), work).await
}

/// The order, after every link was ended that can be paid; none while one was paid and its payment
/// is not known.
async fn start_checkout(app: &Arc<App>, wanted: NewOrder) -> Result<CollectionRow, Error> {
    let booking_id = wanted.row.booking_id;
    if wanted.row.link.is_some() {
        for link in links::of_booking(app.store.pool(), booking_id).await? {
            if link.link.is_payable() {
                end_link(app, &link, wanted.trace.as_deref()).await?;
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
    ensure_order(app, wanted).await
}

/// What is recorded before the provider is asked.
#[derive(Debug, Clone)]
struct Intent {
    facts: BookingFacts,
    method: Method,
    key: IdempotencyKey,
    trace: Option<String>,
}

/// A collection whose intent is recorded.
struct Begun {
    row: CollectionRow,
    /// The lease for creating its order, if there is none and no link has to be ended first.
    lease: Option<i32>,
    /// Until when the booking's time is held.
    held_until: Timestamp,
}

/// Records what is collected; for the checkout, also that no link is handed out any more, and who
/// creates the order. The request's key is stored with it.
async fn record_intent(app: &App, intent: &Intent) -> Result<Begun, Error> {
    let intent = intent.clone();
    let BookingFacts { booking_id, customer_id, .. } = intent.facts;
    let metadata = metadata(&customer_id.to_string(), booking_id, intent.trace.as_deref());
    app.store
        .write(metadata, move |tx| {
            let intent = intent.clone();
            Box::pin(async move { begin(tx, &intent).await })
        })
        .await
}

async fn begin(tx: &mut Tx, intent: &Intent) -> Result<Begun, Error> {
    let BookingFacts { booking_id, customer_id, price, .. } = intent.facts;
    check_or_store_in(tx, &intent.key, booking_id).await?;
    intent.facts.check_agreed()?;
    let mut locked = LockedCollection::load(tx, booking_id).await?;
    let held_until = intent.facts.held_until_at.filter(|until| *until > locked.now);
    let held_until = held_until.ok_or(refuse(Rejection::HoldEnded))?;
    // Booking may not know yet that it was paid at the desk.
    if locked.collection().is_some_and(Collection::is_paid_at_desk) {
        return Err(refuse(Rejection::AlreadyPaid));
    }
    let terms = Terms { collection_id: new_id(), booking_id, customer_id, amount: price };
    let is_new = !locked.apply(tx, Command::Open(terms)).await?.is_empty();
    if intent.method == Method::Checkout {
        locked.apply(tx, Command::WithdrawLinks { why: Withdrawal::Checkout }).await?;
    }
    let row = if is_new {
        CollectionRow::opened(&terms, intent.trace.clone())
    } else {
        let row = query::collection(tx.connection(), booking_id).await?;
        row.ok_or(refuse(Rejection::PaymentNotStarted))?
    };
    let orders = intent.method == Method::Checkout && row.order.is_none() && row.link.is_none();
    let lease = if orders {
        leases::acquire(tx.connection(), booking_id, Creation::Order, LEASE_SECONDS).await?
    } else {
        None
    };
    Ok(Begun { row, lease, held_until })
}
