//! Holds a time and opens a booking.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract::booking::v1::RequestBookingRequest;
use eventstore::{Asked, Loaded, Metadata, Recall, Tx, new_id};
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Timestamp};
use runtime::practice::PRACTITIONER_ID;

use super::idempotent::{Key, first_answer};
use super::request::Wanted;
use super::runs::Runs;
use super::{Desk, Error, Rejection, refuse};
use crate::catalogue::Offering;
use crate::contract::day_stream;
use crate::domain::booking::Facts;
use crate::domain::span::Span;
use crate::read_model::project;
use crate::read_model::query::{self, Holds, Wish};
use crate::read_model::view::{self, Hold, View};
use crate::store::{self, OpenBooking, OpenDay, customer_lock, day_lock};
use crate::timers::{self, HOLD_END};

/// The call's name beside idempotency keys.
const METHOD: &str = "RequestBooking";

/// A booking that holds the time, and how its owner sees it.
#[derive(Clone)]
pub struct Held {
    /// Its id.
    pub id: Id<Booking>,
    /// What its owner sees, as it is committed.
    pub view: View,
}

/// What came of a request that could be decided.
pub(super) type Outcome = Result<Held, Rejection>;

/// Answers with the booking that holds the time.
///
/// # Errors
/// Why it is refused; then nothing was changed.
pub async fn request_booking(
    desk: &Arc<Desk>,
    customer_id: Id<Customer>,
    request: RequestBookingRequest,
) -> Result<Held, Error> {
    let wanted = Wanted::parse(request)?;
    let offering = desk.catalogue.offering(&wanted.service_id).await?;
    let length = i64::from(offering.duration_minutes);
    let span = Span::new(wanted.starts_at, wanted.starts_at.plus_minutes(length))
        .ok_or(refuse(Rejection::InvalidStart))?;
    let id = new_id::<Booking>();
    let metadata = Metadata::by(customer_id.to_string(), runtime::telemetry::traceparent())
        .about(id.to_string());
    let key = Key {
        caller: customer_id.to_string(),
        method: METHOD,
        key: wanted.key.clone(),
        hash: wanted.hash.clone(),
    };
    let date = desk.rules.date_of(wanted.starts_at);
    let stream = day_stream(PRACTITIONER_ID, date);
    let case = Case { id, customer_id, metadata, key, wanted, offering, span, date, stream };
    let held = Runs::hold(desk, case).await?;
    tracing::info!(booking_id = %held.id, "a time is held");
    Ok(held)
}

/// A request with everything that is known before its locks are taken.
pub(super) struct Case {
    /// The id of the booking, if one is opened.
    id: Id<Booking>,
    /// Who asks.
    pub(super) customer_id: Id<Customer>,
    metadata: Metadata,
    key: Key,
    wanted: Wanted,
    offering: Offering,
    /// From when to when it is asked for.
    span: Span,
    /// The day that it is on, and the day's stream.
    date: jiff::civil::Date,
    stream: String,
}

/// Holds the times of several requests in one transaction, each of another customer. Those that are
/// refused change nothing and leave the others alone.
///
/// # Errors
/// Why none of them was held. When others hold one of their locks longer than `patience`, that is
/// unavailable because of [`eventstore::StoreError::Held`].
pub(super) async fn hold_all(
    desk: &Arc<Desk>,
    cases: Arc<[Arc<Case>]>,
    patience: Option<Duration>,
) -> Result<Vec<Outcome>, Error> {
    let metadata = cases.first().map(|case| case.metadata.clone()).unwrap_or_default();
    let desk = Arc::clone(desk);
    let store = desk.store.clone();
    store
        .write(metadata, move |tx| {
            let (desk, cases) = (Arc::clone(&desk), Arc::clone(&cases));
            Box::pin(async move {
                lock(tx, &cases, patience).await?;
                Attempt::read(tx, &desk, &cases).await?.hold(tx).await
            })
        })
        .await
}

async fn lock(tx: &mut Tx, cases: &[Arc<Case>], patience: Option<Duration>) -> Result<(), Error> {
    let locks: Vec<String> = cases
        .iter()
        .flat_map(|case| {
            let day = day_lock(PRACTITIONER_ID, case.date);
            [case.key.lock(), day, customer_lock(case.customer_id)]
        })
        .collect();
    match patience {
        Some(patience) => tx.lock_within(&locks, patience).await?,
        None => tx.lock(&locks).await?,
    }
    Ok(())
}

/// What was read for one request under its locks.
struct Known {
    recalled: Recall,
    holds: Holds,
}

/// Requests on their days, under their locks.
struct Attempt<'a> {
    desk: &'a Desk,
    cases: &'a [Arc<Case>],
    known: Vec<Known>,
    /// The days by their streams.
    days: BTreeMap<&'a str, OpenDay>,
    now: Timestamp,
}

/// What is held for a request, before it is written down.
struct Plan<'a> {
    case: &'a Case,
    facts: Facts,
    until: Timestamp,
}

impl Plan<'_> {
    fn hold(&self) -> Hold<'_> {
        let Self { case, facts, until } = self;
        Hold { facts, span: case.span, until: *until, contact: &case.wanted.contact }
    }
}

impl<'a> Attempt<'a> {
    async fn read(tx: &mut Tx, desk: &'a Desk, cases: &'a [Arc<Case>]) -> Result<Self, Error> {
        let from: Vec<_> = cases.iter().map(|case| desk.days.get(&case.stream)).collect();
        let asked: Vec<_> = cases
            .iter()
            .zip(&from)
            .map(|(case, known)| Asked {
                caller: &case.key.caller,
                key: &case.key.key,
                request_hash: &case.key.hash,
                stream_id: &case.stream,
                from_version: known.as_ref().map_or(0, |known| known.version()),
            })
            .collect();
        let answers = tx.recall_and_load(METHOD, &asked).await?;
        let now = answers.first().map_or(Timestamp::EPOCH, |(_, loaded)| loaded.now);
        let wishes: Vec<Wish<'_>> = cases.iter().map(|case| case.wish()).collect();
        let holds = query::holds(tx, &wishes, now).await?;
        let mut attempt = Self {
            desk,
            cases,
            known: Vec::with_capacity(cases.len()),
            days: BTreeMap::new(),
            now,
        };
        for (((case, known), (recalled, loaded)), holds) in
            cases.iter().zip(from).zip(answers).zip(holds)
        {
            attempt.open(tx, case, (known.as_deref(), &loaded)).await?;
            attempt.known.push(Known { recalled, holds });
        }
        Ok(attempt)
    }

    /// Opens a request's day, unless another request opened it.
    async fn open(
        &mut self,
        tx: &mut Tx,
        case: &'a Case,
        (known, loaded): (Option<&store::KnownDay>, &Loaded),
    ) -> Result<(), Error> {
        if self.days.contains_key(case.stream.as_str()) {
            return Ok(());
        }
        let rules = &self.desk.rules;
        let day = match OpenDay::since(known, loaded, rules, (PRACTITIONER_ID, case.date))? {
            Some(day) => day,
            None => OpenDay::load(tx, rules, PRACTITIONER_ID, case.date).await?.0,
        };
        self.desk.days.keep(&day);
        self.days.insert(&case.stream, day);
        Ok(())
    }

    async fn hold(mut self, tx: &mut Tx) -> Result<Vec<Outcome>, Error> {
        let mut decided = Vec::with_capacity(self.cases.len());
        for (case, known) in self.cases.iter().zip(std::mem::take(&mut self.known)) {
            tx.set_metadata(case.metadata.clone());
            let live_holds = known.holds.live;
            decided.push(match self.again(tx, case, known).await? {
                Some(outcome) => Decided::Answered(Box::new(outcome)),
                None => self.anew(tx, case, live_holds).await?,
            });
        }
        let holds: Vec<Hold<'_>> = decided.iter().filter_map(Decided::hold).collect();
        let views = store::keep(tx, &self.desk.practice, &holds, self.now).await?;
        let mut views: BTreeMap<String, View> =
            views.into_iter().map(|view| (view.booking.booking_id.clone(), view)).collect();
        let outcome = |decided| match decided {
            Decided::Answered(outcome) => *outcome,
            Decided::Planned(Plan { case, .. }) => {
                held(case.id, views.remove(&case.id.to_string()))
            }
        };
        Ok(decided.into_iter().map(outcome).collect())
    }

    /// The answer to a request that was answered before, or whose time its customer holds already;
    /// none to a new one.
    async fn again(
        &self,
        tx: &mut Tx,
        case: &Case,
        known: Known,
    ) -> Result<Option<Outcome>, Error> {
        let practice = &self.desk.practice;
        match first_answer(known.recalled) {
            Ok(None) => {}
            Ok(Some(id)) => {
                let view = view::load(tx.connection(), practice, id).await?;
                return Ok(Some(held(id, view)));
            }
            Err(CommandError::Rejected(rejection)) => return Ok(Some(Err(rejection))),
            Err(error) => return Err(error),
        }
        // Who comes back and asks for the very time that they hold gets their booking again, with
        // the contact data that they gave last: nobody shall be told that they were faster than
        // themselves.
        let Some(before) = known.holds.same else { return Ok(None) };
        project::touch(tx, before).await?;
        let contact = &case.wanted.contact;
        let view = view::keep_contact(tx, practice, before, contact, self.now).await?;
        case.key.remember(tx, before).await?;
        Ok(Some(held(before, view)))
    }

    async fn anew(
        &mut self,
        tx: &mut Tx,
        case: &'a Case,
        live_holds: i64,
    ) -> Result<Decided<'a>, Error> {
        let plan = match self.plan(case, live_holds) {
            Ok(plan) => plan,
            Err(rejection) => return Ok(Decided::Answered(Box::new(Err(rejection)))),
        };
        self.decide(tx, &plan).await?;
        Ok(Decided::Planned(plan))
    }

    /// What would be held for a request.
    fn plan(&self, case: &'a Case, live_holds: i64) -> Result<Plan<'a>, Rejection> {
        let policies = &self.desk.practice.policies;
        let day = self.days.get(case.stream.as_str()).ok_or(Rejection::InvalidStart)?;
        let taken = day.state.taken(self.now);
        let minutes = case.offering.duration_minutes;
        let span = self.desk.rules.offer(case.wanted.starts_at, minutes, &taken, self.now)?;
        if live_holds >= i64::from(policies.live_holds_max) {
            return Err(Rejection::TooManyHolds);
        }
        let facts = Facts {
            booking_id: case.id,
            customer_id: case.customer_id,
            service_id: case.wanted.service_id.clone(),
            service_title: case.offering.title.clone(),
            price: case.offering.price,
            sessions: vec![span],
            practitioner_id: PRACTITIONER_ID.to_owned(),
            mode: case.wanted.mode,
        };
        let until = self.now.plus_minutes(i64::from(policies.hold_minutes));
        Ok(Plan { case, facts, until })
    }

    /// Decides, appends, and sets what ends the hold.
    async fn decide(&mut self, tx: &mut Tx, plan: &Plan<'a>) -> Result<(), Error> {
        let stream = plan.case.stream.as_str();
        let id = plan.case.id;
        let mut open =
            OpenBooking::new(id, self.days.remove(stream).into_iter().collect(), self.now);
        open.hold(tx, &plan.hold()).await?;
        self.days.extend(open.days.into_iter().map(|day| (stream, day)));
        tx.set_timer(HOLD_END, &id.to_string(), plan.until, timers::payload(tx)).await?;
        plan.case.key.remember(tx, id).await
    }
}

/// What was decided for a request.
enum Decided<'a> {
    /// Its time is held; its rows are to be written.
    Planned(Plan<'a>),
    /// Nothing is to be written any more.
    Answered(Box<Outcome>),
}

impl Decided<'_> {
    fn hold(&self) -> Option<Hold<'_>> {
        match self {
            Self::Planned(plan) => Some(plan.hold()),
            Self::Answered(_) => None,
        }
    }
}

impl Case {
    fn wish(&self) -> Wish<'_> {
        Wish {
            customer_id: self.customer_id,
            service_id: &self.wanted.service_id,
            mode: project::mode_word(self.wanted.mode),
            span: self.span,
        }
    }
}

fn held(id: Id<Booking>, view: Option<View>) -> Outcome {
    Ok(Held { id, view: view.ok_or(Rejection::BookingNotFound)? })
}
