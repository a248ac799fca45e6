//! The wait list as staff use it: in its order, and out of it for a reason.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::timestamp;
use eventstore::{Act, Metadata, Tx, new_id};
use kernel::id::{Block, Waiting};
use kernel::{Id, Timestamp};
use service::IdempotencyKey;
use staff::Staff;

use super::App;
use super::block_time::practitioner;
use super::move_times::own_movable;
use super::offer_times::{ORDER_LOCK, hold};
use super::request::parse_key;
use super::waiting::{end_entry, shown};
use super::wish;
use crate::domain::booking::Movable;
use crate::domain::practitioners::Practitioner;
use crate::domain::span::Span;
use crate::domain::waiting::Clock;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::read_model::view::zone_name;
use crate::repository::waiting::{self, Ending, Entry, ListPlace};
use crate::repository::waiting_offers::{self, Offer};

/// The methods' names, in idempotency keys and the audit log.
pub const OFFER: &str = "OfferTime";
/// The same of taking a client off the list.
pub const END: &str = "EndWaiting";
/// How many entries a page has.
const PAGE: usize = 50;

/// A page of the list.
///
/// # Errors
/// `InvalidPageToken`.
pub async fn list_waiting(
    app: &App,
    request: &wire::ListWaitingRequest,
) -> Result<wire::ListWaitingResponse, Error> {
    let after = match request.page_token.as_str() {
        "" => None,
        token => Some(read_token(token).ok_or(refuse(Rejection::InvalidPageToken))?),
    };
    let (pool, now) = (app.store.pool(), app.store.now().await?);
    let one_more = i64::try_from(PAGE + 1).unwrap_or(i64::MAX);
    let mut found = waiting::in_order(pool, after, now, one_more).await?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next_page_token = found.last().filter(|_| more).map(token).unwrap_or_default();
    let entries = shown(app, found.clone()).await?;
    let staff = |(entry, waiting): (Entry, wire::Waiting)| wire::StaffWaiting {
        waiting: Some(waiting),
        customer_id: entry.customer_id.to_string(),
        first_name: entry.first_name,
        email: entry.email,
        offers_lapsed: entry.offers_lapsed,
    };
    Ok(wire::ListWaitingResponse {
        waiting: found.into_iter().zip(entries).map(staff).collect(),
        next_page_token,
        time_zone: zone_name(&app.practice),
    })
}

fn token(last: &Entry) -> String {
    format!("{}-{}", last.joined_at.micros(), last.id)
}

fn read_token(token: &str) -> Option<ListPlace> {
    let (at, id) = token.split_once('-')?;
    let joined_at = Timestamp::from_micros(at.parse().ok()?)?;
    Some(ListPlace { joined_at, id: id.parse().ok()? })
}

/// A time that staff offer out of the order.
struct RequestedOffer {
    waiting_id: Id<Waiting>,
    practitioner: Arc<Practitioner>,
    minutes: i32,
    starts_at: Timestamp,
    reason: String,
    /// The session that is to be earlier.
    movable: Option<Movable>,
}

/// Offers a free time to one client.
///
/// # Errors
/// `WaitingNotFound`, `InvalidReason`, `HasOffer`, and why the time can't be had.
pub async fn offer_time(
    app: &Arc<App>,
    staff: Staff,
    mut request: wire::OfferTimeRequest,
) -> Result<Id<Block>, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = IdempotencyKey::of(&staff.id, OFFER, key, &request);
    let waiting_id = parse_id(&request.waiting_id)?;
    let reason = wish::reason(&request.reason)?;
    let start = request.starts_at.as_ref().and_then(timestamp);
    let practitioner = practitioner(app, &request.practitioner_id)?;
    let practitioner = app.practitioners.get(&practitioner).map(Arc::clone);
    let entry = waiting::find(app.store.pool(), waiting_id, app.store.now().await?).await?;
    let entry = entry.ok_or(refuse(Rejection::WaitingNotFound))?;
    let practitioner = practitioner.ok_or(refuse(Rejection::PractitionerNotFound))?;
    let (minutes, movable) = session(app, &entry, &practitioner).await?;
    let wanted = RequestedOffer {
        waiting_id,
        practitioner,
        minutes,
        movable,
        starts_at: start.ok_or(refuse(Rejection::InvalidStart))?,
        reason,
    };
    let offer_id = new_id::<Block>();
    let metadata = Metadata::traced(staff.id.to_string()).about(waiting_id.to_string());
    let shared = Arc::new((Arc::clone(app), key, wanted));
    app.store
        .write(metadata, move |tx| {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (app, key, wanted) = &*shared;
                tx.audit(staff, Act { action: OFFER, subject: &waiting_id.to_string() }).await?;
                if let Some(first) = key.lookup::<Block>(tx).await? {
                    return Ok(first);
                }
                offer(tx, app, wanted, offer_id).await?;
                key.store(tx, offer_id).await?;
                Ok(offer_id)
            })
        })
        .await
}

/// How long the session is that an entry waits for, and the one that is to be earlier.
///
/// # Errors
/// `SlotNotOffered` of a practitioner whose time the client could not take, and why the client
/// can't move the session.
async fn session(
    app: &App,
    entry: &Entry,
    practitioner: &Practitioner,
) -> Result<(i32, Option<Movable>), Error> {
    let offering = app.catalogue.offering(&entry.wish.service_id).await?;
    let given_by = &offering.practitioner_ids;
    let is_given = given_by.is_empty() || given_by.contains(&practitioner.id);
    let Some(booking) = entry.wish.earlier_than else {
        let minutes = offering.duration_minutes;
        return if is_given { Ok((minutes, None)) } else { Err(refuse(Rejection::SlotNotOffered)) };
    };
    let (view, movable) = own_movable(app, entry.customer_id, booking).await?;
    // A session stays with its practitioner, and as long as it is.
    if view.booking.practitioner_id != practitioner.id {
        return Err(refuse(Rejection::SlotNotOffered));
    }
    Ok((i32::try_from(movable.span.minutes()).unwrap_or(0), Some(movable)))
}

async fn offer(
    tx: &mut Tx,
    app: &App,
    wanted: &RequestedOffer,
    offer_id: Id<Block>,
) -> Result<(), Error> {
    tx.lock(&[ORDER_LOCK.to_owned()]).await?;
    let clock = Clock { zone: app.rules.zone.clone(), now: tx.now().await? };
    let found = waiting::find(tx.connection(), wanted.waiting_id, clock.now).await?;
    let entry = found.ok_or(refuse(Rejection::WaitingNotFound))?;
    let is_ready = waiting::ready(tx, clock.now).await?.iter().any(|ready| ready.id == entry.id);
    if !is_ready {
        return Err(refuse(Rejection::HasOffer));
    }
    let span = free_span(tx, app, wanted, clock.now).await?;
    if waiting_offers::overlaps_own(tx, &entry, span, clock.now).await? {
        return Err(refuse(Rejection::OverlapsOwnSession));
    }
    let notice = i64::from(wanted.practitioner.rules.hours.notice_minutes);
    let mut last = span.starts_at().plus_minutes(-notice).min(entry.ends_at);
    if let Some(session) = wanted.movable {
        if span.starts_at() >= session.span.starts_at() {
            return Err(refuse(Rejection::SlotNotOffered));
        }
        last = last.min(session.until);
    }
    let held_until = clock.held_from_waking(span.starts_at(), last);
    let offer = Offer {
        id: offer_id,
        waiting_id: entry.id,
        customer_id: entry.customer_id,
        practitioner_id: wanted.practitioner.id.clone(),
        span,
        held_until: held_until.ok_or(refuse(Rejection::SlotPast))?,
    };
    hold(tx, app, &offer, Some(&wanted.reason)).await
}

/// The session, if the timetable offers it and it is free.
async fn free_span(
    tx: &mut Tx,
    app: &App,
    wanted: &RequestedOffer,
    now: Timestamp,
) -> Result<Span, Error> {
    let bounds = app.rules.bounds(app.rules.date_of(wanted.starts_at));
    let id = &wanted.practitioner.id;
    let occupied = query::occupied(tx.connection(), id, bounds, now).await?;
    let taken: Vec<Span> = occupied.into_iter().map(|time| time.span).collect();
    let offer = wanted.practitioner.rules.offer(wanted.starts_at, wanted.minutes, &taken, now);
    offer.map_err(|why| refuse(why.into()))
}

/// Takes a client off the list.
///
/// # Errors
/// `WaitingNotFound` or `InvalidReason`.
pub async fn end_waiting(
    app: &Arc<App>,
    staff: Staff,
    request: &wire::EndWaitingRequest,
) -> Result<(), Error> {
    let id = parse_id(&request.waiting_id)?;
    let reason: Arc<str> = wish::reason(&request.reason)?.into();
    let owner = waiting::owner(app.store.pool(), id).await?;
    owner.ok_or(refuse(Rejection::WaitingNotFound))?;
    let metadata = Metadata::traced(staff.id.to_string()).about(id.to_string());
    let shared = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, reason) = (Arc::clone(&shared), Arc::clone(&reason));
            Box::pin(async move {
                tx.audit(staff, Act { action: END, subject: &id.to_string() }).await?;
                end_entry(tx, &app, id, Ending::Removed, Some(&reason)).await
            })
        })
        .await
}

fn parse_id(text: &str) -> Result<Id<Waiting>, Error> {
    text.parse().map_err(|_malformed| refuse(Rejection::WaitingNotFound))
}
