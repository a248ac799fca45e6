//! Decides several requests in one transaction: what each of them needs is read together, under
//! their locks.

use std::collections::BTreeMap;
use std::sync::Arc;

use eventstore::{Act, IdempotencyLookup, KeyLookup, Loaded, Tx};
use kernel::id::{Block, Booking};
use kernel::{CommandError, Id, Timestamp};

use super::App;
use super::pending_request::{HeldBooking, METHOD, PendingRequest, RequestedDay};
use super::requester::PHONE_METHOD;
use crate::domain::booking::{Facts, Origin};
use crate::domain::shown_texts::Acceptance;
use crate::domain::span::Span;
use crate::error::{Error, Rejection};
use crate::read_model::query::{self, Holds};
use crate::read_model::view::{self, View};
use crate::read_model::{busy_times, project};
use crate::repository::{self, DaySnapshot, Hold, LockedBooking, LockedDay, phone_bookings};
use crate::repository::{accepted_terms, consents, scheduled_events, waiting, waiting_offers};

/// The result of a request that was decided.
pub(super) type Outcome = Result<HeldBooking, Rejection>;

/// A session of a request, by the request's place in its batch.
type Session<'a> = (usize, &'a PendingRequest, &'a RequestedDay);

/// A request of a batch, and what was read for it under its locks.
struct RequestState<'a> {
    request: &'a PendingRequest,
    /// What its idempotency key stands for.
    lookup: IdempotencyLookup,
    /// The customer's live holds, in view of all of its sessions.
    holds: Option<Holds>,
    /// Whether the practitioner is busy by their own calendar.
    is_busy: bool,
    /// Whether the address has its free session already.
    free_used: bool,
    /// Whether the event that it names can't be had.
    lacks_event: bool,
}

impl<'a> RequestState<'a> {
    fn new(request: &'a PendingRequest) -> Self {
        let lookup = IdempotencyLookup::New;
        let (is_busy, free_used, lacks_event) = (false, false, false);
        Self { request, lookup, holds: None, is_busy, free_used, lacks_event }
    }

    /// Adds what was read for one session.
    fn add(&mut self, lookup: IdempotencyLookup, holds: Holds, is_busy: bool) {
        // All sessions of a request were looked up with the same key.
        self.lookup = lookup;
        self.holds = Some(self.holds.map_or(holds, |before| before.and(holds)));
        self.is_busy |= is_busy;
    }
}

/// A hold that was accepted, before its rows are written.
struct PlannedHold<'a> {
    request: &'a PendingRequest,
    facts: Facts,
    until: Timestamp,
    /// The time on the wait list that the client takes by it.
    offer: Option<Id<Block>>,
}

impl PlannedHold<'_> {
    fn hold(&self) -> Hold<'_> {
        let Self { request, facts, until, .. } = self;
        let origin = &request.wanted.origin;
        let (network_hash, device_hash) = (origin.network.as_deref(), origin.device.as_deref());
        let contact = &request.wanted.details.contact;
        let notice_hours = facts.policy.as_ref().map_or(0, |policy| policy.notice_hours().into());
        let acceptance = Acceptance { shown: &request.wanted.details.shown, notice_hours };
        Hold { facts, until: *until, contact, network_hash, device_hash, acceptance }
    }
}

/// The decision about one request: a hold whose rows are still to be written, or its result.
type Decision<'a> = Result<PlannedHold<'a>, Outcome>;

/// A batch of requests and the days they are on, under their locks.
pub(super) struct HoldBatch<'a> {
    app: &'a App,
    states: Vec<RequestState<'a>>,
    /// The days by their streams.
    days: BTreeMap<&'a str, LockedDay>,
    now: Timestamp,
}

impl<'a> HoldBatch<'a> {
    pub(super) async fn load(
        tx: &mut Tx,
        app: &'a App,
        requests: &'a [Arc<PendingRequest>],
    ) -> Result<Self, Error> {
        let numbered = requests.iter().enumerate();
        let sessions: Vec<Session<'a>> = numbered
            .flat_map(|(place, one)| one.days.iter().map(move |day| (place, &**one, day)))
            .collect();
        let snapshot = |(_, _, day): &Session<'_>| app.day_snapshots.get(&day.stream);
        let snapshots: Vec<Option<Arc<DaySnapshot>>> = sessions.iter().map(snapshot).collect();
        let loaded = lookup_and_load(tx, &sessions, &snapshots).await?;
        let now = loaded.first().map_or(Timestamp::EPOCH, |(_, loaded)| loaded.now);
        let slots: Vec<_> = sessions.iter().map(|(_, one, day)| one.slot_request(day)).collect();
        let several = app.practitioners.are_several().then(|| app.practitioners.ids());
        let holds = query::holds(tx, &slots, &several.unwrap_or_default(), now).await?;
        let busy = are_busy(tx, app, &sessions).await?;
        let states = requests.iter().map(|request| RequestState::new(request)).collect();
        let mut batch = Self { app, states, days: BTreeMap::new(), now };
        let read = snapshots.iter().zip(loaded).zip(holds.into_iter().zip(busy));
        for (session, ((snapshot, (lookup, loaded)), (holds, is_busy))) in
            sessions.into_iter().zip(read)
        {
            batch.load_day(tx, session, (snapshot.as_deref(), &loaded)).await?;
            if let Some(state) = batch.states.get_mut(session.0) {
                state.add(lookup, holds, is_busy);
            }
        }
        for state in &mut batch.states {
            if let Some(free) = &state.request.wanted.free {
                state.free_used = free.was_given(tx, now).await?;
            }
            state.lacks_event = state.request.lacks_its_event(tx, now).await?;
        }
        Ok(batch)
    }

    /// Loads the day of a session, unless an earlier one of the batch loaded it.
    async fn load_day(
        &mut self,
        tx: &mut Tx,
        (_, request, wanted): Session<'a>,
        (snapshot, loaded): (Option<&DaySnapshot>, &Loaded),
    ) -> Result<(), Error> {
        if self.days.contains_key(wanted.stream.as_str()) {
            return Ok(());
        }
        let (rules, practitioner_id) = (&self.app.rules, request.practitioner.id.as_str());
        let of_day = (practitioner_id, wanted.date);
        let day = match LockedDay::from_snapshot(snapshot, loaded, rules, of_day)? {
            Some(day) => day,
            None => LockedDay::load(tx, rules, practitioner_id, wanted.date).await?.0,
        };
        self.app.day_snapshots.insert(&day);
        self.days.insert(&wanted.stream, day);
        Ok(())
    }

    /// Decides each request, in their order, and writes what was decided.
    pub(super) async fn hold(mut self, tx: &mut Tx) -> Result<Vec<Outcome>, Error> {
        let mut decided: Vec<Decision<'a>> = Vec::with_capacity(self.states.len());
        for state in std::mem::take(&mut self.states) {
            let request = state.request;
            tx.set_metadata(request.metadata.clone());
            let decision = match self.return_existing(tx, &state).await? {
                Some(outcome) => Err(outcome),
                None => self.plan(&state, &decided).map_err(Err),
            };
            let booking_id = match &decision {
                Ok(plan) => {
                    self.append(tx, plan).await?;
                    Some(request.id)
                }
                Err(outcome) => outcome.as_ref().ok().map(|held| held.id),
            };
            if let (Some(phone), Some(id)) = (&request.wanted.phone, booking_id) {
                let act = Act { action: PHONE_METHOD, subject: &id.to_string() };
                tx.audit(phone.staff, act).await?;
            }
            decided.push(decision);
        }
        self.write_rows(tx, decided).await
    }

    /// Writes the rows of all holds together, and returns the outcome of each request.
    async fn write_rows(
        &self,
        tx: &mut Tx,
        decided: Vec<Decision<'a>>,
    ) -> Result<Vec<Outcome>, Error> {
        let holds: Vec<Hold<'_>> = decided.iter().flatten().map(PlannedHold::hold).collect();
        let views = repository::insert_holds(tx, &self.app.practice, &holds, self.now).await?;
        let planned = decided.iter().flatten().map(|plan| plan.request);
        let given: Vec<_> =
            planned.clone().filter_map(|request| request.consent(request.id)).collect();
        consents::insert(tx, &self.app.consent.terms, &given, self.now).await?;
        for plan in decided.iter().flatten().filter(|plan| plan.facts.is_free()) {
            let ended = waiting::booked(tx, plan.request.id, self.now).await?;
            waiting_offers::end_soon(tx, &ended).await?;
        }
        for request in planned {
            if let Some(event_uri) = request.scheduled_event_uri() {
                scheduled_events::book(tx, event_uri, request.id).await?;
            }
        }
        let mut views: BTreeMap<String, View> =
            views.into_iter().map(|view| (view.booking.booking_id.clone(), view)).collect();
        let outcome = |decision: Decision<'_>| match decision {
            Err(outcome) => outcome,
            Ok(PlannedHold { request, .. }) => {
                held_booking(request.id, views.remove(&request.id.to_string()))
            }
        };
        Ok(decided.into_iter().map(outcome).collect())
    }

    /// The existing answer for a repeated idempotency key, or for a request whose time the customer
    /// holds already; `None` for a new request.
    async fn return_existing(
        &self,
        tx: &mut Tx,
        state: &RequestState<'a>,
    ) -> Result<Option<Outcome>, Error> {
        let (request, practice) = (state.request, &self.app.practice);
        match state.lookup.clone().id().map_err(Error::from) {
            Ok(None) => {}
            Ok(Some(id)) => {
                let view = view::load(tx.connection(), practice, id).await?;
                return Ok(Some(held_booking(id, view)));
            }
            Err(CommandError::Rejected(rejection)) => return Ok(Some(Err(rejection))),
            Err(error) => return Err(error),
        }
        // A repeated request for the slot the customer already holds returns that booking
        // (idempotent without a key), with the new contact data.
        let Some(before) = state.holds.and_then(|holds| holds.same) else { return Ok(None) };
        project::touch(tx, before).await?;
        let details = &request.wanted.details;
        let view =
            repository::upsert_contact(tx, practice, before, &details.contact, self.now).await?;
        let notice_hours = view.as_ref().map_or(0, View::notice_hours);
        let acceptance = Acceptance { shown: &details.shown, notice_hours };
        accepted_terms::insert(tx, before, acceptance, self.now).await?;
        let given: Vec<_> = request.consent(before).into_iter().collect();
        consents::insert(tx, &self.app.consent.terms, &given, self.now).await?;
        request.key.store(tx, before).await?;
        Ok(Some(held_booking(before, view)))
    }

    /// The hold of a new request, or the first reason against it. `earlier` are the decisions about
    /// the requests before it in the batch.
    fn plan(
        &self,
        state: &RequestState<'a>,
        earlier: &[Decision<'a>],
    ) -> Result<PlannedHold<'a>, Rejection> {
        let (request, wanted) = (state.request, &*state.request.wanted);
        let holds = state.holds.unwrap_or_default();
        let policies = &self.app.practice.policies;
        let sessions = request.days.iter().map(|day| self.offered(request, day, holds.offer));
        let sessions = sessions.collect::<Result<Vec<Span>, Rejection>>();
        let is_paid = wanted.free.is_none();
        let has_too_many = holds.live >= i64::from(policies.live_holds_max);
        let wait = self.app.hold_limits.wait_minutes(&holds.unpaid, self.now);
        let mut held = earlier.iter().flatten().map(|plan| plan.request);
        let free_used = state.free_used || held.clone().any(|it| it.shares_address(request));
        let lacks_event = state.lacks_event || held.any(|it| it.shares_event(request));
        let reasons = [
            free_used.then_some(Rejection::FreeSessionUsed),
            lacks_event.then_some(Rejection::ScheduledEventUsed),
            state.is_busy.then(|| self.busy_rejection(request)),
            holds.overlap.then_some(Rejection::OverlapsOwnSession),
            sessions.as_ref().err().copied(),
            (is_paid && has_too_many).then_some(Rejection::TooManyHolds),
            wait.filter(|_| is_paid).map(Rejection::HeldTooOften),
        ];
        if let Some(reason) = reasons.into_iter().flatten().next() {
            return Err(reason);
        }
        let facts = Facts {
            booking_id: request.id,
            customer_id: wanted.customer_id,
            service_id: wanted.details.service_id.clone(),
            service_title: wanted.offering.title.clone(),
            price: wanted.package.as_ref().map_or(wanted.offering.price, |it| it.price),
            package: wanted.package.as_ref().map(|it| it.package.clone()),
            sessions: sessions?,
            practitioner_id: request.practitioner.id.clone(),
            mode: wanted.details.mode,
            origin: wanted.phone.map_or(Origin::Account, |_| Origin::Phone),
            policy: Some(Arc::new(wanted.policy(&self.app.practice))),
        };
        let until = match wanted.phone {
            None => self.now.plus_minutes(i64::from(policies.hold_minutes)),
            // It never lasts beyond the start of the first session.
            Some(terms) => {
                let until = self.now.plus_minutes(terms.hold_minutes);
                facts.sessions.first().map_or(until, |first| until.min(first.starts_at()))
            }
        };
        Ok(PlannedHold { request, facts, until, offer: holds.offer })
    }

    /// The rejection of a time in which the practitioner is busy: that of the timetable, where it
    /// has no such start.
    fn busy_rejection(&self, request: &PendingRequest) -> Rejection {
        let minutes = request.wanted.offering.duration_minutes;
        let rules = &request.practitioner.rules;
        let mut starts = request.days.iter().map(|day| day.span.starts_at());
        let refused = starts.find_map(|start| rules.offer(start, minutes, &[], self.now).err());
        refused.map_or(Rejection::SlotTaken, Rejection::from)
    }

    /// A requested session, if it can be booked; `offer` is held for this client.
    fn offered(
        &self,
        request: &PendingRequest,
        wanted: &RequestedDay,
        offer: Option<Id<Block>>,
    ) -> Result<Span, Rejection> {
        let day = self.days.get(wanted.stream.as_str()).ok_or(Rejection::InvalidStart)?;
        let taken = day.state.taken_beside(offer, self.now);
        let starts_at = wanted.span.starts_at();
        let minutes = request.wanted.offering.duration_minutes;
        Ok(request.practitioner.rules.offer(starts_at, minutes, &taken, self.now)?)
    }

    /// Appends a hold, and stores the idempotency key. All sessions were found to be free under
    /// their locks, so a refusal here fails the batch, and nothing of it is stored.
    async fn append(&mut self, tx: &mut Tx, plan: &PlannedHold<'a>) -> Result<(), Error> {
        let (request, id) = (plan.request, plan.request.id);
        let streams: Vec<&str> = request.days.iter().map(|day| day.stream.as_str()).collect();
        let days = streams.iter().filter_map(|stream| self.days.remove(stream)).collect();
        let mut locked = LockedBooking::new(id, days, self.now);
        if let (Some(offer), Some(day)) = (plan.offer, locked.days.first_mut()) {
            day.give(tx, offer).await?;
        }
        locked.hold(tx, &plan.hold()).await?;
        let held = std::mem::take(&mut locked.days);
        self.days.extend(streams.into_iter().zip(held));
        if let Some(free) = &request.wanted.free {
            free.store(tx, id, self.now).await?;
        }
        if let Some(terms) = &request.wanted.phone {
            let email = request.wanted.details.contact.email().to_lowercase();
            phone_bookings::insert(tx, id, &email, self.now).await?;
            if terms.send_mail {
                locked.request_page(tx).await?;
            }
        }
        Ok(request.key.store(tx, id).await?)
    }
}

async fn lookup_and_load(
    tx: &mut Tx,
    sessions: &[Session<'_>],
    snapshots: &[Option<Arc<DaySnapshot>>],
) -> Result<Vec<(IdempotencyLookup, Loaded)>, Error> {
    let wanted = sessions.iter().zip(snapshots);
    let lookups = wanted.map(|((_, request, day), snapshot)| KeyLookup {
        key: &request.key,
        stream_id: &day.stream,
        from_version: snapshot.as_ref().map_or(0, |snapshot| snapshot.version()),
    });
    Ok(tx.lookup_and_load(METHOD, &lookups.collect::<Vec<_>>()).await?)
}

/// Whether the practitioner of each session is busy by their own calendar. A practice without such
/// calendars makes no statement.
async fn are_busy(tx: &mut Tx, app: &App, sessions: &[Session<'_>]) -> Result<Vec<bool>, Error> {
    if app.calendars.sources().is_empty() {
        return Ok(vec![false; sessions.len()]);
    }
    let times = sessions.iter().map(|(_, one, day)| (one.practitioner.id.as_str(), day.span));
    Ok(busy_times::are_busy(tx, &times.collect::<Vec<_>>()).await?)
}

fn held_booking(id: Id<Booking>, view: Option<View>) -> Outcome {
    Ok(HeldBooking { id, view: view.ok_or(Rejection::BookingNotFound)? })
}
