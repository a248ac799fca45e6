//! Offers a practitioner's freed times to the wait list: each to the first client whom it fits, one
//! in a transaction.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use contract::booking::v1::WaitingTimeOffered;
use eventstore::{Metadata, NewEvent, StoreError, Timer, Tx, new_id};
use jiff::civil::Date;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use super::move_times::own_movable;
use super::waiting::clock;
use crate::contract::waiting_stream;
use crate::domain::booking::Movable;
use crate::domain::day;
use crate::domain::practitioners::Practitioner;
use crate::domain::span::Span;
use crate::domain::waiting::{Clock, freed};
use crate::error::Error;
use crate::read_model::query;
use crate::repository::waiting::{self, Entry};
use crate::repository::waiting_offers::{self, Offer};
use crate::repository::{LockedDay, customer_lock, day_lock};
use crate::timers::kinds::{OFFER_TIMES, payload};

/// The lock under which it is decided which client is asked next. It is taken before those of days
/// and clients.
pub(super) const ORDER_LOCK: &str = "wait list";

/// What is known of a practitioner's wait list before a transaction begins.
struct List {
    practitioner: Arc<Practitioner>,
    /// The length of each service's session that is waited for, in minutes.
    minutes: HashMap<String, i32>,
    /// The sessions that are to be earlier and can be moved.
    movable: HashMap<Id<Booking>, Movable>,
}

/// Offers all that can be offered now; in the quiet hours once they are over.
///
/// # Errors
/// When the database or the catalogue does not answer.
pub async fn offer_times(
    app: &Arc<App>,
    metadata: Metadata,
    timer: &Arc<Timer>,
) -> Result<(), Error> {
    let Some(practitioner) = app.practitioners.get(&timer.subject) else {
        return end_timer(app, metadata, timer).await;
    };
    let clock = clock(app).await?;
    if let Some(morning) = clock.quiet_until() {
        return wait_until(app, metadata, practitioner, morning).await;
    }
    let list = Arc::new(List::read(app, practitioner, clock.now).await?);
    loop {
        let shared = (Arc::clone(app), Arc::clone(&list), Arc::clone(timer));
        let offered = app.store.write(metadata.clone(), move |tx| {
            let (app, list, timer) = shared.clone();
            Box::pin(async move {
                let offered = offer_one(tx, &app, &list).await?;
                if !offered {
                    end_or_wait(tx, &app, &timer).await?;
                }
                Ok::<_, Error>(offered)
            })
        });
        if !offered.await? {
            return Ok(());
        }
    }
}

/// Nothing can be offered now. The quiet hours may have begun since the handler looked: then it
/// looks again after them.
async fn end_or_wait(tx: &mut Tx, app: &App, timer: &Timer) -> Result<(), Error> {
    let clock = Clock { zone: app.rules.zone.clone(), now: tx.now().await? };
    match clock.quiet_until() {
        Some(morning) => {
            let payload = payload(tx);
            tx.set_timer(OFFER_TIMES, &timer.subject, morning, payload).await?;
        }
        None => tx.end_claimed_timer(timer).await?,
    }
    Ok(())
}

/// The practitioner has left the practice.
async fn end_timer(app: &App, metadata: Metadata, timer: &Arc<Timer>) -> Result<(), Error> {
    let timer = Arc::clone(timer);
    let ended = app.store.write(metadata, move |tx| {
        let timer = Arc::clone(&timer);
        Box::pin(async move { tx.end_claimed_timer(&timer).await })
    });
    Ok(ended.await?)
}

async fn wait_until(
    app: &App,
    metadata: Metadata,
    practitioner: &Practitioner,
    morning: Timestamp,
) -> Result<(), Error> {
    let id: Arc<str> = practitioner.id.as_str().into();
    app.store
        .write(metadata, move |tx| {
            let (id, payload) = (Arc::clone(&id), payload(tx));
            Box::pin(async move { tx.set_timer(OFFER_TIMES, &id, morning, payload).await })
        })
        .await?;
    Ok(())
}

impl List {
    async fn read(
        app: &App,
        practitioner: &Arc<Practitioner>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let mut minutes = HashMap::new();
        for service_id in waiting::services(app.store.pool(), now).await? {
            let offering = match app.catalogue.offering(&service_id).await {
                Ok(offering) => offering,
                // It is not offered any more, or can't be booked as it is: the others go on.
                Err(Error::Rejected(_)) => continue,
                Err(error) => return Err(error),
            };
            let given = &offering.practitioner_ids;
            if given.is_empty() || given.contains(&practitioner.id) {
                minutes.insert(service_id, offering.duration_minutes);
            }
        }
        let mut movable = HashMap::new();
        // Several entries may want the same one earlier.
        let wanted = waiting::for_earlier(app.store.pool(), &practitioner.id, now).await?;
        for (booking, customer_id) in wanted {
            match own_movable(app, customer_id, booking).await {
                Ok((_view, session)) => {
                    movable.insert(booking, session);
                }
                Err(Error::Rejected(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { practitioner: Arc::clone(practitioner), minutes, movable })
    }

    /// The practitioner's free times that overlap freed ones, by the length of a session.
    async fn free(
        &self,
        tx: &mut Tx,
        app: &App,
        was_freed: &[Span],
        now: Timestamp,
    ) -> Result<HashMap<i32, Vec<Span>>, Error> {
        let rules = &self.practitioner.rules;
        let dates: BTreeSet<Date> =
            was_freed.iter().map(|span| rules.date_of(span.starts_at())).collect();
        let (Some(first), Some(last)) = (dates.first(), dates.last()) else {
            return Ok(HashMap::new());
        };
        let bounds = (app.rules.bounds(*first).0, app.rules.bounds(*last).1);
        let occupied = query::occupied(tx.connection(), &self.practitioner.id, bounds, now).await?;
        let taken: Vec<Span> = occupied.into_iter().map(|time| time.span).collect();
        let times = |minutes: i32| {
            let slots = dates.iter().flat_map(|date| rules.slots(*date, minutes, &taken, now));
            freed(slots.filter(|slot| slot.available).map(|slot| slot.span), was_freed)
        };
        let minutes: BTreeSet<i32> = self.minutes.values().copied().collect();
        Ok(minutes.into_iter().map(|minutes| (minutes, times(minutes))).collect())
    }

    /// Until when a time can be held for an entry; `None` where the client could not take it.
    fn held_until(&self, entry: &Entry, span: Span, clock: &Clock) -> Option<Timestamp> {
        let practitioner = &self.practitioner;
        if !entry.wish.fits(&practitioner.id, span.starts_at(), clock) {
            return None;
        }
        let notice = i64::from(practitioner.rules.hours.notice_minutes);
        let last = span.starts_at().plus_minutes(-notice);
        let last = match entry.wish.earlier_than {
            None => last,
            Some(booking) => {
                let session = self.movable.get(&booking)?;
                let is_earlier = span.starts_at() < session.span.starts_at();
                let is_as_long = span.minutes() == session.span.minutes();
                (is_earlier && is_as_long).then_some(last.min(session.until))?
            }
        };
        clock.held_until(span.starts_at(), last)
    }
}

/// What can be offered now.
struct Open {
    clock: Clock,
    /// The free times by the length of a session.
    free: HashMap<i32, Vec<Span>>,
    /// Which starts of the practitioner's times were offered to which clients before.
    asked: BTreeSet<(Id<kernel::id::Customer>, Timestamp)>,
}

/// Offers the first time that fits to the first client; false when there is none.
async fn offer_one(tx: &mut Tx, app: &App, list: &List) -> Result<bool, Error> {
    tx.lock(&[ORDER_LOCK.to_owned()]).await?;
    let clock = Clock { zone: app.rules.zone.clone(), now: tx.now().await? };
    let practitioner_id = list.practitioner.id.as_str();
    let was_freed = waiting_offers::freed(tx, practitioner_id, clock.now).await?;
    let free = list.free(tx, app, &was_freed, clock.now).await?;
    if free.values().all(Vec::is_empty) {
        return Ok(false);
    }
    let asked = waiting_offers::asked(tx, practitioner_id, clock.now).await?;
    let open = Open { clock, free, asked };
    for entry in waiting::ready(tx, open.clock.now).await? {
        if let Some(offer) = first_fit(tx, list, &entry, &open).await? {
            hold(tx, app, &offer, None).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first time that was not offered to the client before and that the client can take.
async fn first_fit(
    tx: &mut Tx,
    list: &List,
    entry: &Entry,
    open: &Open,
) -> Result<Option<Offer>, Error> {
    let minutes = list.minutes.get(&entry.wish.service_id);
    let Some(times) = minutes.and_then(|minutes| open.free.get(minutes)) else { return Ok(None) };
    for span in times {
        if open.asked.contains(&(entry.customer_id, span.starts_at())) {
            continue;
        }
        let Some(held_until) = list.held_until(entry, *span, &open.clock) else { continue };
        if !waiting_offers::overlaps_own(tx, entry, *span, open.clock.now).await? {
            return Ok(Some(Offer {
                id: new_id(),
                waiting_id: entry.id,
                customer_id: entry.customer_id,
                practitioner_id: list.practitioner.id.clone(),
                span: *span,
                held_until,
            }));
        }
    }
    Ok(None)
}

/// Holds a time for a client, and has the client told by mail. The caller has the order's lock.
///
/// # Errors
/// `Conflict` where something changed before the locks of the day and the client were granted.
pub(super) async fn hold(
    tx: &mut Tx,
    app: &App,
    offer: &Offer,
    reason: Option<&str>,
) -> Result<(), Error> {
    let date = app.rules.date_of(offer.span.starts_at());
    let practitioner_id = offer.practitioner_id.as_str();
    tx.lock(&[customer_lock(offer.customer_id), day_lock(practitioner_id, date)]).await?;
    let (mut day, now) = LockedDay::load(tx, &app.rules, practitioner_id, date).await?;
    let stands = waiting::find(tx.connection(), offer.waiting_id, now).await?.is_some();
    let is_free = !day.state.taken(now).iter().any(|taken| taken.overlaps(&offer.span));
    if !stands || !is_free {
        return Err(StoreError::Conflict.into());
    }
    day.apply(tx, day::Command::Block { block_id: offer.id, span: offer.span, now }).await?;
    waiting_offers::insert(tx, offer, now, reason).await?;
    let stream = waiting_stream(offer.waiting_id);
    let version = tx.load(&stream).await?.version;
    let (waiting_id, offer_id) = (offer.waiting_id.to_string(), offer.id.to_string());
    let event = NewEvent::of(&WaitingTimeOffered { waiting_id, offer_id });
    let event = event.map_err(StoreError::from)?;
    tx.append(&stream, version, &[event]).await?;
    tracing::info!(offer_id = %offer.id, "a time is held for a waiting client");
    Ok(())
}
