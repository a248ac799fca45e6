//! A client's own entries in the wait list.

use std::collections::HashMap;
use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use eventstore::{Metadata, Tx, new_id};
use kernel::id::{Block, Booking, Customer, Waiting};
use kernel::{Id, Timestamp};
use service::IdempotencyKey;

use super::App;
use super::end_offer::end_offer;
use super::free_session::Client;
use super::move_times::own_movable;
use super::practitioner_choice::eligible_practitioners;
use super::request::parse_key;
use super::wish;
use crate::contract::{read_mode, wire_mode};
use crate::domain::waiting::{Clock, ENTRIES_MAX, WaitingWish};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::zone_name;
use crate::repository::customer_lock;
use crate::repository::waiting::{self, Ending, Entry};
use crate::repository::waiting_offers::{self, Outcome};

const METHOD: &str = "JoinWaiting";

/// Puts a client on the wait list; who waits for the same already gets that entry.
///
/// # Errors
/// `AddressNotProved`, `TooManyWaiting`, what is wrong with the wish, and of a booking that is to
/// be earlier why it can't be moved.
pub async fn join_waiting(
    app: &Arc<App>,
    client: Client,
    mut request: wire::JoinWaitingRequest,
) -> Result<wire::Waiting, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = IdempotencyKey::of(&client.customer_id, METHOD, key, &request);
    let clock = clock(app).await?;
    let first_name = wish::first_name(&request.first_name)?;
    let mut wish = wish::parse(request.wish.unwrap_or_default(), &clock)?;
    let email = client.proved_email.ok_or(refuse(Rejection::AddressNotProved))?;
    if let Some(id) = wish.earlier_than {
        take_from_booking(app, client.customer_id, id, &mut wish).await?;
    }
    let offering = app.catalogue.offering(&wish.service_id).await?;
    eligible_practitioners(app, &offering, wish.practitioner_id.as_deref())?;
    let entry = Arc::new(Entry {
        id: new_id(),
        customer_id: client.customer_id,
        ends_at: app.rules.bounds(wish.until).1,
        wish,
        service_title: offering.title,
        first_name,
        email,
        joined_at: clock.now,
        offers_lapsed: 0,
    });
    let id = join(app, key, &entry).await?;
    let found = waiting::find(app.store.pool(), id, clock.now).await?;
    let found = found.ok_or(refuse(Rejection::WaitingNotFound))?;
    let shown = shown(app, vec![found]).await?;
    shown.into_iter().next().ok_or(refuse(Rejection::WaitingNotFound))
}

/// The service, practitioner and way of the booking are those of the earlier time.
async fn take_from_booking(
    app: &App,
    customer_id: Id<Customer>,
    id: Id<Booking>,
    wish: &mut WaitingWish,
) -> Result<(), Error> {
    let (view, movable) = own_movable(app, customer_id, id).await?;
    if view.booking.package.is_some() {
        return Err(refuse(Rejection::NotMovable));
    }
    wish.service_id = view.booking.service_id;
    wish.practitioner_id = Some(view.booking.practitioner_id);
    wish.mode = read_mode(view.booking.mode).unwrap_or(wish.mode);
    wish.until = wish.until.min(app.rules.date_of(movable.span.starts_at())).max(wish.from);
    Ok(())
}

async fn join(
    app: &Arc<App>,
    key: IdempotencyKey,
    entry: &Arc<Entry>,
) -> Result<Id<Waiting>, Error> {
    let metadata = Metadata::traced(key.caller.clone()).about(entry.id.to_string());
    let shared = Arc::new((key, Arc::clone(entry)));
    app.store
        .write(metadata, move |tx| {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (key, entry) = &*shared;
                tx.lock(&[key.lock_name(), customer_lock(entry.customer_id)]).await?;
                if let Some(first) = key.lookup::<Waiting>(tx).await? {
                    return Ok(first);
                }
                let id = insert(tx, entry).await?;
                key.store(tx, id).await?;
                Ok(id)
            })
        })
        .await
}

async fn insert(tx: &mut Tx, entry: &Entry) -> Result<Id<Waiting>, Error> {
    let now = tx.now().await?;
    let others = waiting::of_customer(tx.connection(), entry.customer_id, now).await?;
    if let Some(same) = others.iter().find(|other| other.wish == entry.wish) {
        return Ok(same.id);
    }
    if i64::try_from(others.len()).unwrap_or(ENTRIES_MAX) >= ENTRIES_MAX {
        return Err(refuse(Rejection::TooManyWaiting));
    }
    waiting::insert(tx, entry).await?;
    tracing::info!(waiting_id = %entry.id, "a client waits");
    Ok(entry.id)
}

/// What a client waits for, with what is offered now.
///
/// # Errors
/// When the database does not answer.
pub async fn list_own_waiting(
    app: &App,
    customer_id: Id<Customer>,
) -> Result<wire::ListOwnWaitingResponse, Error> {
    let now = app.store.now().await?;
    let entries = waiting::of_customer(app.store.pool(), customer_id, now).await?;
    let waiting = shown(app, entries).await?;
    Ok(wire::ListOwnWaitingResponse { waiting, time_zone: zone_name(&app.practice) })
}

/// Entries as their clients see them, in their order.
pub(super) async fn shown(app: &App, entries: Vec<Entry>) -> Result<Vec<wire::Waiting>, Error> {
    let ids: Vec<Id<Waiting>> = entries.iter().map(|entry| entry.id).collect();
    let bookings: Vec<Id<Booking>> = entries.iter().filter_map(|it| it.wish.earlier_than).collect();
    let offers = waiting_offers::open_of_entries(app.store.pool(), &ids).await?;
    let starts: HashMap<Id<Booking>, Timestamp> =
        waiting_offers::starts_of(app.store.pool(), &bookings).await?.into_iter().collect();
    let show = |entry: &Entry| {
        let offer = offers.iter().find(|offer| offer.waiting_id == entry.id);
        let earlier = entry.wish.earlier_than.and_then(|id| starts.get(&id));
        wire::Waiting {
            offer: offer.map(|offer| wish::show_offer(&app.practice, offer)),
            earlier_than_at: earlier.map(|at| to_wire(*at)),
            ..wish::show(&app.practice, entry)
        }
    };
    Ok(entries.iter().map(show).collect())
}

/// An open offer as its client sees it.
///
/// # Errors
/// When the database does not answer.
pub async fn wire_offer(app: &App, id: Id<Block>) -> Result<Option<wire::WaitingOffer>, Error> {
    let offer = waiting_offers::open(app.store.pool(), id).await?;
    Ok(offer.map(|offer| wish::show_offer(&app.practice, &offer)))
}

/// What the mail of an offer says.
///
/// # Errors
/// `WaitingNotFound` once the time is not offered any more.
pub async fn offer_mail(app: &App, id: &str) -> Result<wire::GetWaitingOfferResponse, Error> {
    let gone = || refuse(Rejection::WaitingNotFound);
    let id: Id<Block> = id.parse().map_err(|_malformed| gone())?;
    let (pool, now) = (app.store.pool(), app.store.now().await?);
    let offer = waiting_offers::open(pool, id).await?.ok_or_else(gone)?;
    let entry = waiting::find(pool, offer.waiting_id, now).await?.ok_or_else(gone)?;
    let bookings = Vec::from_iter(entry.wish.earlier_than);
    let starts = waiting_offers::starts_of(pool, &bookings).await?;
    Ok(wire::GetWaitingOfferResponse {
        email: entry.email,
        first_name: entry.first_name,
        service_title: entry.service_title,
        practitioner_name: app.practice.name_of_practitioner(&offer.practitioner_id).to_owned(),
        mode: wire_mode(entry.wish.mode).into(),
        starts_at: Some(to_wire(offer.span.starts_at())),
        ends_at: Some(to_wire(offer.span.ends_at())),
        held_until_at: Some(to_wire(offer.held_until)),
        time_zone: zone_name(&app.practice),
        earlier_than_at: starts.first().map(|(_id, at)| to_wire(*at)),
    })
}

/// Takes a client off the list; a time that is offered goes to the next one.
///
/// # Errors
/// `WaitingNotFound`, also for another client's entry.
pub async fn leave_waiting(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    request: &wire::LeaveWaitingRequest,
) -> Result<(), Error> {
    let id = own_entry(app, customer_id, &request.waiting_id).await?;
    let metadata = Metadata::traced(customer_id.to_string()).about(id.to_string());
    let shared = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move { end_entry(tx, &app, id, Ending::Left, None).await })
        })
        .await
}

/// Ends an entry and its open offer.
pub(super) async fn end_entry(
    tx: &mut Tx,
    app: &App,
    id: Id<Waiting>,
    ending: Ending,
    reason: Option<&str>,
) -> Result<(), Error> {
    // Without the lock a time could be offered between the two statements: it would be held for a
    // client who has left.
    if let Some(owner) = waiting::owner(tx.connection(), id).await? {
        tx.lock(&[customer_lock(owner)]).await?;
    }
    let offer = waiting_offers::open_of_entry(tx.connection(), id).await?;
    if let Some(offer) = offer {
        end_offer(tx, app, offer.id, Outcome::Declined).await?;
    }
    waiting::end(tx, id, ending, reason).await?;
    Ok(())
}

/// The client does not want what is offered, and stays on the list.
///
/// # Errors
/// `WaitingNotFound`, also for another client's entry.
pub async fn decline_offer(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    request: &wire::DeclineOfferRequest,
) -> Result<(), Error> {
    let id = own_entry(app, customer_id, &request.waiting_id).await?;
    let not_found = || refuse(Rejection::WaitingNotFound);
    let offer = request.offer_id.parse().map_err(|_malformed| not_found())?;
    let shared = Arc::clone(app);
    let metadata = Metadata::traced(customer_id.to_string()).about(id.to_string());
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move {
                let open = waiting_offers::open(tx.connection(), offer).await?;
                match open.filter(|open| open.waiting_id == id) {
                    Some(open) => end_offer(tx, &app, open.id, Outcome::Declined).await,
                    None => Ok(()),
                }
            })
        })
        .await
}

async fn own_entry(app: &App, customer_id: Id<Customer>, id: &str) -> Result<Id<Waiting>, Error> {
    let not_found = || refuse(Rejection::WaitingNotFound);
    let id: Id<Waiting> = id.parse().map_err(|_malformed| not_found())?;
    let owner = waiting::owner(app.store.pool(), id).await?;
    owner.filter(|owner| *owner == customer_id).map(|_own| id).ok_or_else(not_found)
}

/// The present moment in the practice's zone.
pub(super) async fn clock(app: &App) -> Result<Clock, Error> {
    Ok(Clock { zone: app.rules.zone.clone(), now: app.store.now().await? })
}
