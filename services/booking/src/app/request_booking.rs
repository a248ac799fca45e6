//! Holds a time and creates a booking.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use contract::booking::v1::RequestBookingRequest;
use eventstore::{Act, IdempotencyLookup, KeyLookup, Loaded, Metadata, Tx, new_id};
use futures::FutureExt as _;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Timestamp};

use super::App;
use super::consent_proof::check_signer;
use super::free_session::{Client, FreeRequest};
use super::hold_origin::HoldOrigin;
use super::idempotency::{IdempotencyKey, stored_answer};
use super::package_choice::wanted_package;
use super::pending_request::{HeldBooking, PendingRequest, PhoneTerms, RequestedDay, busy};
use super::placement::set_session_timers;
use super::planned_hold::{Decision, Outcome, PlannedHold};
use super::practitioner_choice::candidates;
use super::request::BookingRequest;
use super::requester::{PHONE_METHOD, Requester};
use super::scheduled_event::give_back;
use crate::clients::catalogue::Offering;
use crate::contract::day_stream;
use crate::domain::booking::{Facts, Origin};
use crate::domain::consent::proof::Proof;
use crate::domain::package::PackageTerms;
use crate::domain::practitioners::Practitioner;
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::project;
use crate::read_model::query::{self, Holds, SlotRequest};
use crate::read_model::view::{self, View};
use crate::repository::{self, DaySnapshot, Hold, LockedBooking, LockedDay, phone_bookings};
use crate::repository::{accepted_terms, consents, scheduled_events};
use crate::timers::kinds::{self, HOLD_END};

/// The method's name, stored with its idempotency keys.
const METHOD: &str = "RequestBooking";

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
    let event = details.scheduled_event_uri.clone().zip(details.starts.first().copied());
    let (customer_id, phone) = (requester.customer_id(), requester.phone());
    let (origin, proof) = (requester.origin(), requester.proof());
    let template = RequestTemplate {
        customer_id,
        details,
        origin,
        proof,
        offering,
        package,
        spans,
        free,
        phone,
    };
    let mut outcome = Err(refuse(Rejection::SlotTaken));
    for practitioner in candidates {
        outcome = submit(app, template.for_practitioner(app, practitioner)).await;
        match &outcome {
            Err(CommandError::Rejected(Rejection::SlotTaken)) => {}
            _ => break,
        }
    }
    if let (Err(error), Some(event)) = (&outcome, event) {
        give_back(app, event, error).await;
    }
    let held = outcome?;
    tracing::info!(booking_id = %held.id, "a time is held or booked");
    Ok(held)
}

/// The parts of a request that are the same for every practitioner.
struct RequestTemplate {
    customer_id: Id<Customer>,
    details: BookingRequest,
    origin: HoldOrigin,
    proof: Proof,
    offering: Offering,
    package: Option<PackageTerms>,
    spans: Vec<Span>,
    free: Option<FreeRequest>,
    phone: Option<PhoneTerms>,
}

impl RequestTemplate {
    /// The request to one practitioner, with an id of its own for the booking.
    fn for_practitioner(&self, app: &App, practitioner: Arc<Practitioner>) -> PendingRequest {
        let Self { customer_id, details, origin, proof, offering, package, spans, free, phone } =
            self;
        let id = new_id::<Booking>();
        let caller = phone.map_or(*customer_id, |terms| terms.staff.id).to_string();
        let day = |span: &Span| {
            let date = app.rules.date_of(span.starts_at());
            RequestedDay { span: *span, date, stream: day_stream(&practitioner.id, date) }
        };
        let days = spans.iter().map(day).collect();
        PendingRequest {
            id,
            customer_id: *customer_id,
            metadata: Metadata::by(caller.clone(), runtime::telemetry::traceparent())
                .about(id.to_string()),
            key: IdempotencyKey {
                caller,
                method: METHOD,
                key: details.key.clone(),
                hash: details.hash.clone(),
            },
            details: details.clone(),
            origin: origin.clone(),
            proof: proof.clone(),
            offering: offering.clone(),
            package: package.clone(),
            free: free.clone(),
            phone: *phone,
            days,
            practitioner,
        }
    }
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

/// What was read for one request under its locks: its idempotency key and the customer's live
/// holds.
struct PriorState {
    lookup: IdempotencyLookup,
    holds: Holds,
    /// Whether the address has its free session already.
    free_used: bool,
    /// Whether the practitioner is busy by their own calendar.
    is_busy: bool,
    /// Whether the event that it names can't be had.
    lacks_event: bool,
}

/// A batch of requests and the days they are on, under their locks.
struct HoldBatch<'a> {
    app: &'a App,
    requests: &'a [Arc<PendingRequest>],
    prior: Vec<PriorState>,
    /// The days by their streams.
    days: BTreeMap<&'a str, LockedDay>,
    now: Timestamp,
}

impl<'a> HoldBatch<'a> {
    async fn load(
        tx: &mut Tx,
        app: &'a App,
        requests: &'a [Arc<PendingRequest>],
    ) -> Result<Self, Error> {
        let wanted: Vec<_> = requests
            .iter()
            .flat_map(|request| request.days.iter().map(move |day| (request, day)))
            .map(|(request, day)| (request, day, app.day_snapshots.get(&day.stream)))
            .collect();
        let lookups: Vec<_> = wanted
            .iter()
            .map(|(request, day, snapshot)| KeyLookup {
                caller: &request.key.caller,
                key: &request.key.key,
                request_hash: &request.key.hash,
                stream_id: &day.stream,
                from_version: snapshot.as_ref().map_or(0, |snapshot| snapshot.version()),
            })
            .collect();
        let loaded_days = tx.lookup_and_load(METHOD, &lookups).await?;
        let now = loaded_days.first().map_or(Timestamp::EPOCH, |(_, loaded)| loaded.now);
        let slot_requests: Vec<SlotRequest<'_>> =
            requests.iter().flat_map(|request| request.slot_requests()).collect();
        let several = app.practitioners.are_several().then(|| app.practitioners.ids());
        let several = several.unwrap_or_default();
        let mut holds = query::holds(tx, &slot_requests, &several, now).await?.into_iter();
        let mut batch = Self {
            app,
            requests,
            prior: Vec::with_capacity(requests.len()),
            days: BTreeMap::new(),
            now,
        };
        let has_calendars = !app.calendars.sources().is_empty();
        let busy = busy(tx, has_calendars, requests).await?;
        let mut lookups = Vec::with_capacity(loaded_days.len());
        for ((request, day, snapshot), (lookup, loaded)) in wanted.into_iter().zip(loaded_days) {
            batch.load_day(tx, (&**request, day), (snapshot.as_deref(), &loaded)).await?;
            lookups.push(lookup);
        }
        let mut lookups = lookups.into_iter();
        for (request, is_busy) in requests.iter().zip(busy) {
            // All sessions of a request were looked up with the same key.
            let lookup = lookups.by_ref().take(request.days.len()).reduce(|_, later| later);
            let lookup = lookup.unwrap_or(IdempotencyLookup::New);
            let holds = Holds::of_all(holds.by_ref().take(request.days.len()));
            let free_used = match &request.free {
                Some(free) => free.was_given(tx, now).await?,
                None => false,
            };
            let lacks_event = request.lacks_its_event(tx, now).await?;
            batch.prior.push(PriorState { lookup, holds, free_used, is_busy, lacks_event });
        }
        Ok(batch)
    }

    /// Loads a day of a request, unless an earlier request of the batch loaded it.
    async fn load_day(
        &mut self,
        tx: &mut Tx,
        (request, wanted): (&'a PendingRequest, &'a RequestedDay),
        (snapshot, loaded): (Option<&DaySnapshot>, &Loaded),
    ) -> Result<(), Error> {
        if self.days.contains_key(wanted.stream.as_str()) {
            return Ok(());
        }
        let rules = &self.app.rules;
        let practitioner_id = request.practitioner.id.as_str();
        let day = match LockedDay::from_snapshot(
            snapshot,
            loaded,
            rules,
            (practitioner_id, wanted.date),
        )? {
            Some(day) => day,
            None => LockedDay::load(tx, rules, practitioner_id, wanted.date).await?.0,
        };
        self.app.day_snapshots.insert(&day);
        self.days.insert(&wanted.stream, day);
        Ok(())
    }

    async fn hold(mut self, tx: &mut Tx) -> Result<Vec<Outcome>, Error> {
        let mut decided = Vec::with_capacity(self.requests.len());
        // Addresses that get a free session by this batch, and events that get a booking.
        let (mut given, mut booked) = (HashSet::new(), HashSet::new());
        for (request, prior) in self.requests.iter().zip(std::mem::take(&mut self.prior)) {
            tx.set_metadata(request.metadata.clone());
            let (holds, is_busy) = (prior.holds, prior.is_busy);
            let event = request.scheduled_event_uri();
            let lacks_event = prior.lacks_event || event.is_some_and(|uri| booked.contains(uri));
            let email = request.free.as_ref().map(FreeRequest::email);
            let free_used = prior.free_used || email.is_some_and(|email| given.contains(email));
            let decision = match self.return_existing(tx, request, prior).await? {
                Some(outcome) => Decision::Answered(Box::new(outcome)),
                None if free_used => Decision::rejected(Rejection::FreeSessionUsed),
                None if lacks_event => Decision::rejected(Rejection::ScheduledEventUsed),
                None if is_busy => self.refuse_busy(request),
                None => self.place_hold(tx, request, holds).await?,
            };
            given.extend(email.filter(|_| decision.hold().is_some()));
            if let (Some(phone), Some(id)) = (&request.phone, decision.booking_id()) {
                let act = Act { action: PHONE_METHOD, subject: &id.to_string() };
                tx.audit(phone.staff, act).await?;
            }
            booked.extend(event.filter(|_| decision.hold().is_some()));
            decided.push(decision);
        }
        let holds: Vec<Hold<'_>> = decided.iter().filter_map(Decision::hold).collect();
        let views = repository::insert_holds(tx, &self.app.practice, &holds, self.now).await?;
        let given: Vec<_> = decided.iter().filter_map(Decision::consent).collect();
        consents::insert(tx, &self.app.consent.terms, &given, self.now).await?;
        for (id, event_uri) in decided.iter().filter_map(Decision::scheduled_event) {
            scheduled_events::book(tx, event_uri, id).await?;
        }
        let mut views: BTreeMap<String, View> =
            views.into_iter().map(|view| (view.booking.booking_id.clone(), view)).collect();
        let outcome = |decided| match decided {
            Decision::Answered(outcome) => *outcome,
            Decision::Planned(plan) => {
                let request = plan.request;
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
        request: &PendingRequest,
        prior: PriorState,
    ) -> Result<Option<Outcome>, Error> {
        let practice = &self.app.practice;
        match stored_answer(prior.lookup) {
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
        let Some(before) = prior.holds.same else { return Ok(None) };
        project::touch(tx, before).await?;
        let contact = &request.details.contact;
        let view = repository::upsert_contact(tx, practice, before, contact, self.now).await?;
        accepted_terms::insert(tx, before, request.acceptance(practice), self.now).await?;
        let given: Vec<_> = request.consent(before).into_iter().collect();
        consents::insert(tx, &self.app.consent.terms, &given, self.now).await?;
        request.key.store(tx, before).await?;
        Ok(Some(held_booking(before, view)))
    }

    /// The rejection of a time in which the practitioner is busy: that of the timetable, where it
    /// has no such start.
    fn refuse_busy(&self, request: &PendingRequest) -> Decision<'a> {
        let (rules, minutes) = (&request.practitioner.rules, request.offering.duration_minutes);
        let mut starts = request.days.iter().map(|day| day.span.starts_at());
        let refused = starts.find_map(|start| rules.offer(start, minutes, &[], self.now).err());
        Decision::rejected(refused.map_or(Rejection::SlotTaken, Rejection::from))
    }

    async fn place_hold(
        &mut self,
        tx: &mut Tx,
        request: &'a PendingRequest,
        holds: Holds,
    ) -> Result<Decision<'a>, Error> {
        let plan = match self.plan(request, holds) {
            Ok(plan) => plan,
            Err(rejection) => return Ok(Decision::rejected(rejection)),
        };
        self.decide(tx, &plan).await?;
        Ok(Decision::Planned(Box::new(plan)))
    }

    /// Checks a request and computes its hold.
    fn plan(
        &self,
        request: &'a PendingRequest,
        holds: Holds,
    ) -> Result<PlannedHold<'a>, Rejection> {
        if holds.overlap {
            return Err(Rejection::OverlapsOwnSession);
        }
        let policies = &self.app.practice.policies;
        let sessions = request.days.iter().map(|day| self.offered(request, day));
        let sessions = sessions.collect::<Result<Vec<Span>, Rejection>>()?;
        if request.free.is_none() && holds.live >= i64::from(policies.live_holds_max) {
            return Err(Rejection::TooManyHolds);
        }
        let wait = self.app.hold_limits.wait_minutes(&holds.unpaid, self.now);
        if let Some(minutes) = wait.filter(|_| request.free.is_none()) {
            return Err(Rejection::HeldTooOften(minutes));
        }
        let facts = Facts {
            booking_id: request.id,
            customer_id: request.customer_id,
            service_id: request.details.service_id.clone(),
            service_title: request.offering.title.clone(),
            price: request.package.as_ref().map_or(request.offering.price, |it| it.price),
            package: request.package.as_ref().map(|it| it.package.clone()),
            sessions,
            practitioner_id: request.practitioner.id.clone(),
            mode: request.details.mode,
            origin: request.phone.map_or(Origin::Account, |_| Origin::Phone),
        };
        let until = match request.phone {
            None => self.now.plus_minutes(i64::from(policies.hold_minutes)),
            // It never lasts beyond the start of the first session.
            Some(terms) => {
                let until = self.now.plus_minutes(terms.hold_minutes);
                facts.sessions.first().map_or(until, |first| until.min(first.starts_at()))
            }
        };
        let notice_hours = request.acceptance(&self.app.practice).notice_hours;
        Ok(PlannedHold { request, facts, until, notice_hours })
    }

    /// A requested session, if it can be booked.
    fn offered(&self, request: &PendingRequest, wanted: &RequestedDay) -> Result<Span, Rejection> {
        let day = self.days.get(wanted.stream.as_str()).ok_or(Rejection::InvalidStart)?;
        let (starts_at, taken) = (wanted.span.starts_at(), day.state.taken(self.now));
        let minutes = request.offering.duration_minutes;
        Ok(request.practitioner.rules.offer(starts_at, minutes, &taken, self.now)?)
    }

    /// Decides, appends, sets the timers, and stores the idempotency key. All sessions were found
    /// to be free under their locks, so a refusal here fails the batch, and nothing of it is
    /// stored.
    async fn decide(&mut self, tx: &mut Tx, plan: &PlannedHold<'a>) -> Result<(), Error> {
        let id = plan.request.id;
        let streams: Vec<&str> = plan.request.days.iter().map(|day| day.stream.as_str()).collect();
        let days = streams.iter().filter_map(|stream| self.days.remove(stream)).collect();
        let mut locked = LockedBooking::new(id, days, self.now);
        locked.hold(tx, &plan.hold()).await?;
        let held = std::mem::take(&mut locked.days);
        self.days.extend(streams.into_iter().zip(held));
        match &plan.request.free {
            Some(free) => {
                free.store(tx, id, self.now).await?;
                set_session_timers(tx, &plan.facts, self.now).await?;
            }
            None => {
                tx.set_timer(HOLD_END, &id.to_string(), plan.until, kinds::payload(tx)).await?;
            }
        }
        if let Some(terms) = &plan.request.phone {
            let email = plan.request.details.contact.email().to_lowercase();
            phone_bookings::insert(tx, id, &email, self.now).await?;
            if terms.send_mail {
                locked.request_page(tx).await?;
            }
        }
        plan.request.key.store(tx, id).await
    }
}

fn held_booking(id: Id<Booking>, view: Option<View>) -> Outcome {
    Ok(HeldBooking { id, view: view.ok_or(Rejection::BookingNotFound)? })
}
