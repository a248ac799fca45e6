//! Loads bookings with their practitioners' days for update, under their locks, and appends their
//! events and rows.

use eventstore::{StoreError, Tx};
use jiff::civil::Date;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Decider, Id, Timestamp, fold};
use practice::Practice;

use self::days::slot_taken_when_excluded;
use self::waiting::Ending;
use crate::contract;
use crate::domain::availability::Rules;
use crate::domain::booking::{self, BookingLife, Effect, ProposedTime, Whose};
use crate::domain::day;
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::project;
use crate::read_model::query;
use crate::read_model::view::View;
use crate::timers::kinds;

mod days;
pub mod busy_times;
pub mod accepted_terms;
pub mod contacts;
pub mod cancellation_policies;
pub mod consents;
pub mod consent_codes;
pub mod invitations;
pub mod members;
pub mod grant_role;
mod holds;
pub mod page_keys;
pub mod hold_origins;
pub mod meeting_rooms;
pub mod move_reasons;
pub mod phone_bookings;
pub mod scheduled_events;
pub mod mail_preferences;
pub mod waiting;
pub mod waiting_offers;
pub mod widget_reports;

pub use days::{DaySnapshot, DaySnapshotCache, LockedDay};
pub use holds::{Hold, correct_contact, upsert_contact};

/// The name of a day's lock.
#[must_use]
pub fn day_lock(practitioner_id: &str, date: Date) -> String {
    format!("day {practitioner_id} {date}")
}

/// The name of a customer's lock.
#[must_use]
pub fn customer_lock(customer_id: Id<Customer>) -> String {
    format!("customer {customer_id}")
}

/// Inserts the rows of the holds that [`LockedBooking::hold`] decided, for several bookings in one
/// statement, and returns the bookings.
///
/// # Errors
/// `SlotTaken` when the exclusion constraint is violated.
pub async fn insert_holds(
    tx: &mut Tx,
    practice: &Practice,
    to_insert: &[Hold<'_>],
    now: Timestamp,
) -> Result<Vec<View>, Error> {
    holds::insert_holds(tx, practice, to_insert, now).await.map_err(slot_taken_when_excluded)
}

/// A day to which a session is to be moved.
#[derive(Debug, Clone)]
pub struct OtherDay {
    /// Whose it is; `None` for the practitioner of the booking.
    pub practitioner_id: Option<String>,
    /// The date.
    pub date: Date,
}

/// What is locked beside a booking, its days and its customer.
#[derive(Debug, Clone, Default)]
struct Beside {
    /// Another customer, who is to own it.
    heir: Option<Id<Customer>>,
    /// Another day.
    day: Option<OtherDay>,
}

/// A booking and the days of its sessions, loaded for update under their locks.
#[derive(Debug)]
pub struct LockedBooking {
    id: Id<Booking>,
    version: i64,
    /// The booking's state.
    pub state: booking::State,
    /// The days of its sessions.
    pub days: Vec<LockedDay>,
    /// Who gave its sessions when it was loaded; empty for a new booking.
    practitioner_id: String,
    /// The database clock, read under the locks.
    pub now: Timestamp,
}

impl LockedBooking {
    /// A new booking, on days whose locks the transaction holds.
    #[must_use]
    pub fn new(id: Id<Booking>, days: Vec<LockedDay>, now: Timestamp) -> Self {
        let practitioner_id = String::new();
        Self { id, version: 0, state: booking::State::Absent, days, practitioner_id, now }
    }

    /// Takes the locks of a booking's days and customer and loads it; `None` when it doesn't exist.
    ///
    /// # Errors
    /// When the database does not answer or holds an event that cannot be read.
    pub async fn load(tx: &mut Tx, rules: &Rules, id: Id<Booking>) -> Result<Option<Self>, Error> {
        Self::load_all(tx, (rules, None), id, Beside::default()).await
    }

    /// The same with its days from their snapshots on.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub async fn load_since(
        tx: &mut Tx,
        rules: &Rules,
        snapshots: &DaySnapshotCache,
        id: Id<Booking>,
    ) -> Result<Option<Self>, Error> {
        Self::load_all(tx, (rules, Some(snapshots)), id, Beside::default()).await
    }

    /// The same under the lock of another customer as well, who is to own it.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub async fn load_with(
        tx: &mut Tx,
        rules: &Rules,
        id: Id<Booking>,
        heir: Id<Customer>,
    ) -> Result<Option<Self>, Error> {
        let beside = Beside { heir: Some(heir), day: None };
        Self::load_all(tx, (rules, None), id, beside).await
    }

    /// The same with one more day, to which a session is to be moved.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub async fn load_with_day(
        tx: &mut Tx,
        rules: &Rules,
        id: Id<Booking>,
        day: OtherDay,
    ) -> Result<Option<Self>, Error> {
        let beside = Beside { heir: None, day: Some(day) };
        Self::load_all(tx, (rules, None), id, beside).await
    }

    async fn load_all(
        tx: &mut Tx,
        (rules, snapshots): (&Rules, Option<&DaySnapshotCache>),
        id: Id<Booking>,
        beside: Beside,
    ) -> Result<Option<Self>, Error> {
        let Some(location) = query::locate(tx, id).await? else { return Ok(None) };
        let own = |date| (location.practitioner_id.clone(), date);
        let mut places: Vec<(String, Date)> =
            location.starts.iter().map(|start| own(rules.date_of(*start))).collect();
        places.extend(beside.day.map(|day| {
            let whose = day.practitioner_id.unwrap_or_else(|| location.practitioner_id.clone());
            (whose, day.date)
        }));
        places.sort_unstable();
        places.dedup();
        let mut locks = vec![customer_lock(location.customer_id)];
        locks.extend(beside.heir.map(customer_lock));
        locks.extend(places.iter().map(|(whose, date)| day_lock(whose, *date)));
        tx.lock(&locks).await?;
        let loaded = tx.load(&contract::booking_stream(id)).await?;
        let events = loaded
            .events
            .iter()
            .map(contract::read_booking_event)
            .collect::<Result<Vec<_>, _>>()
            .map_err(StoreError::from)?;
        let mut days = Vec::with_capacity(places.len());
        for (whose, date) in places {
            days.push(match snapshots {
                Some(it) => LockedDay::load_since(tx, (rules, it), &whose, date).await?,
                None => LockedDay::load(tx, rules, &whose, date).await?.0,
            });
        }
        let state = fold::<BookingLife>(&events);
        let now = loaded.now;
        let practitioner_id = location.practitioner_id;
        let locked = Self { id, version: loaded.version, state, days, practitioner_id, now };
        // It was moved, or got another owner, after it was found and before its locks were taken.
        let is_found = |facts: &booking::Facts| {
            let is_locked = |span: &Span| locked.days.iter().any(|day| day.has(span));
            facts.customer_id == location.customer_id
                && facts.practitioner_id == locked.practitioner_id
                && facts.sessions.iter().all(is_locked)
        };
        if locked.state.facts().is_some_and(|facts| !is_found(facts)) {
            return Err(StoreError::Conflict.into());
        }
        Ok(Some(locked))
    }

    /// Decides whether a session may be moved from the time that was shown, and changes nothing.
    ///
    /// # Errors
    /// The booking's rejection.
    pub fn check_move(
        &self,
        request: &booking::MoveRequest,
        shown: Timestamp,
    ) -> Result<(), Error> {
        let movable = booking::Movable::of(&self.state, request, self.now);
        let movable = movable.map_err(|rejection| refuse(rejection.into()))?;
        let is_shown = movable.span.starts_at() == shown;
        if is_shown { Ok(()) } else { Err(refuse(Rejection::ChangedSince)) }
    }

    /// Opens the time that is held for its client on the wait list, if that is where a session is
    /// to be moved, and returns whether there was one.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn take_offer(&mut self, tx: &mut Tx, to: Span) -> Result<bool, Error> {
        let Some(facts) = self.state.facts() else { return Ok(false) };
        let (customer_id, practitioner_id) = (facts.customer_id, &facts.practitioner_id);
        let offer = waiting_offers::open_at(tx, customer_id, practitioner_id, to).await?;
        let day = self.days.iter_mut().find(|day| day.is(practitioner_id, &to));
        let (Some(offer), Some(day)) = (offer, day) else { return Ok(false) };
        day.give(tx, offer.id).await?;
        Ok(true)
    }

    /// Moves a session to a time that the caller has checked against the timetable.
    ///
    /// # Errors
    /// `SlotTaken` when another session or a closed time is there, and the booking's rejections.
    pub async fn relocate(
        &mut self,
        tx: &mut Tx,
        request: booking::MoveRequest,
        shown: Timestamp,
        to: Span,
    ) -> Result<Vec<booking::Event>, Error> {
        let (id, now) = (self.id, self.now);
        let whose = request.practitioner_id.as_deref().unwrap_or(&self.practitioner_id);
        let day = self.days.iter_mut().find(|day| day.is(whose, &to));
        let day = day.ok_or(refuse(Rejection::InvalidStart))?;
        if !day.state.is_free_for(id, to, now) {
            return Err(refuse(Rejection::SlotTaken));
        }
        // The row of the session takes its new time at once, where a hold that has expired may
        // still stand.
        day.apply(tx, day::Command::Clear { now }).await?;
        self.apply(tx, booking::Command::Move { request, shown, to, now }).await
    }

    /// Decides, appends, updates the booking's rows, and carries out what follows for its days and
    /// its timers.
    ///
    /// # Errors
    /// The booking's rejection.
    pub async fn apply(
        &mut self,
        tx: &mut Tx,
        command: booking::Command,
    ) -> Result<Vec<booking::Event>, Error> {
        let proposed = ProposedTime::of(&self.state);
        let events = self.decide(tx, command).await?;
        for event in &events {
            let projected = project::booking(tx, self.id, event).await;
            projected.map_err(slot_taken_when_excluded)?;
            self.tell_others(tx, event).await?;
            log(self.id, event);
        }
        self.carry_out(tx, proposed, &events).await?;
        Ok(events)
    }

    /// The room of a booking that is over ends, and so does what its client waited for.
    async fn tell_others(&self, tx: &mut Tx, event: &booking::Event) -> Result<(), Error> {
        let ended = match event {
            booking::Event::Cancelled { .. } => {
                meeting_rooms::end(tx, self.id).await?;
                waiting::end_of_booking(tx, self.id, Ending::Ended).await?
            }
            booking::Event::Confirmed { .. } => waiting::booked(tx, self.id, self.now).await?,
            // The new practitioner has a room of another place, and other times that are earlier.
            booking::Event::Moved { practitioner: Some(practitioner), .. } => {
                meeting_rooms::end(tx, self.id).await?;
                project::join_url(tx, self.id, "").await?;
                waiting::hand_over(tx, self.id, practitioner).await?
            }
            _other => Vec::new(),
        };
        Ok(waiting_offers::end_soon(tx, &ended).await?)
    }

    /// Creates the booking and holds each session on its day, or books it where it costs nothing.
    /// The caller writes the rows, by [`insert_holds`], because each statement is a round trip
    /// under the day's lock.
    ///
    /// # Errors
    /// `SlotTaken` when the day rejects the command or the exclusion constraint is violated.
    pub async fn hold(&mut self, tx: &mut Tx, hold: &Hold<'_>) -> Result<(), Error> {
        let request = booking::Command::Request { facts: hold.facts.clone(), until: hold.until };
        let events = self.decide(tx, request).await?;
        self.carry_out(tx, None, &events).await
    }

    /// Carries out what follows from events. The rows of the times that a new booking takes are
    /// left to [`insert_holds`].
    async fn carry_out(
        &mut self,
        tx: &mut Tx,
        proposed: Option<ProposedTime>,
        events: &[booking::Event],
    ) -> Result<(), Error> {
        let is_new = matches!(events.first(), Some(booking::Event::Requested { .. }));
        let now_with = self.state.facts().map(|facts| facts.practitioner_id.clone());
        let now_with = now_with.unwrap_or_default();
        for effect in booking::follow(proposed, &self.state, events, self.now) {
            match effect {
                Effect::Day { session, command, whose } => {
                    let whose = match whose {
                        Whose::Now => &now_with,
                        Whose::Before => &self.practitioner_id,
                    };
                    let day = self.days.iter_mut().find(|day| day.is(whose, &session));
                    match day {
                        Some(day) if is_new => day.take(tx, command).await?,
                        Some(day) => day.apply(tx, command).await?,
                        None if is_new => return Err(refuse(Rejection::InvalidStart)),
                        None => {}
                    }
                }
                Effect::SetTimer { timer, due } => {
                    let (kind, subject) = kinds::key(self.id, timer);
                    tx.set_timer(kind, &subject, due, kinds::payload(tx)).await?;
                }
                Effect::EndTimer(timer) => {
                    let (kind, subject) = kinds::key(self.id, timer);
                    tx.end_timer(kind, &subject).await?;
                }
            }
        }
        Ok(())
    }

    /// Has the page of a booking by phone mailed. The request is named by the version of its
    /// event, which no other one has.
    ///
    /// # Errors
    /// `NotByPhone` or `HoldEnded`.
    pub async fn request_page(&mut self, tx: &mut Tx) -> Result<(), Error> {
        let (number, now) = (self.version + 1, self.now);
        self.apply(tx, booking::Command::RequestPage { number, now }).await?;
        Ok(())
    }

    /// The same also when nothing can be paid any more: a key that has ended is renewed.
    ///
    /// # Errors
    /// `NotByPhone`, also for a booking that an account owns.
    pub async fn renew_page(&mut self, tx: &mut Tx) -> Result<(), Error> {
        let number = self.version + 1;
        self.apply(tx, booking::Command::RenewPage { number }).await?;
        Ok(())
    }

    /// Has a code for the consent on its page mailed, and returns the request's number.
    ///
    /// # Errors
    /// When the booking is not held, or the database does not answer.
    pub async fn request_consent_code(&mut self, tx: &mut Tx) -> Result<i64, Error> {
        let (number, now) = (self.version + 1, self.now);
        self.apply(tx, booking::Command::RequestConsentCode { number, now }).await?;
        Ok(number)
    }

    /// Has a code for an act on its page mailed, and returns the request's number.
    ///
    /// # Errors
    /// `NotCancellable` where nothing of the booking is to come.
    pub async fn request_page_code(&mut self, tx: &mut Tx) -> Result<i64, Error> {
        let (number, now) = (self.version + 1, self.now);
        self.apply(tx, booking::Command::RequestPageCode { number, now }).await?;
        Ok(number)
    }

    /// Decides and appends; the caller updates the read model.
    async fn decide(
        &mut self,
        tx: &mut Tx,
        command: booking::Command,
    ) -> Result<Vec<booking::Event>, Error> {
        let events = BookingLife::decide(&self.state, command)
            .map_err(|rejection| CommandError::Rejected(rejection.into()))?;
        let mut new = Vec::with_capacity(events.len());
        for event in &events {
            new.push(contract::booking_event(self.id, event)?);
            self.state = BookingLife::evolve(std::mem::take(&mut self.state), event);
        }
        let stream = contract::booking_stream(self.id);
        self.version = tx.append(&stream, self.version, &new).await?;
        Ok(events)
    }

    /// Whether all of its sessions are free now: by the day's state, and by the rows that the
    /// exclusion constraint checks, which would reject a decision based on a wrong day.
    pub async fn is_free(&self, tx: &mut Tx) -> Result<bool, Error> {
        for span in self.sessions() {
            let day = self.days.iter().find(|day| day.is(&self.practitioner_id, &span));
            let Some(day) = day else { return Ok(false) };
            if !day.state.is_free_for(self.id, span, self.now) {
                return Ok(false);
            }
            let others =
                query::overlapping_reservations(tx, &day.key.practitioner_id, span, self.id)
                    .await?;
            let is_expired_hold = |other: Option<Id<Booking>>| {
                other.is_some_and(|other| day.state.is_expired_hold(other, self.now))
            };
            if !others.into_iter().all(is_expired_hold) {
                tracing::error!(booking_id = %self.id, "the rows have a session more than the day");
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn sessions(&self) -> Vec<Span> {
        self.state.facts().map(|facts| facts.sessions.clone()).unwrap_or_default()
    }
}

fn log(booking_id: Id<Booking>, event: &booking::Event) {
    match event {
        booking::Event::CheckoutOpened { .. } => {
            tracing::info!(%booking_id, "the hold was extended");
        }
        booking::Event::Confirmed { reinstated, .. } => {
            tracing::info!(%booking_id, reinstated, "confirmed");
        }
        booking::Event::Moved { number, move_number, .. } => {
            tracing::info!(%booking_id, number, move_number, "a session was moved");
        }
        booking::Event::Cancelled { .. } => tracing::info!(%booking_id, "cancelled"),
        booking::Event::SessionCancelled { number, .. } => {
            tracing::info!(%booking_id, number, "a session was cancelled");
        }
        _ => {}
    }
}
