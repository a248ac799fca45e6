//! Holds a time and opens a booking.

use std::sync::Arc;

use contract::booking::v1::RequestBookingRequest;
use eventstore::{Metadata, Tx, new_id};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use runtime::practice::PRACTITIONER_ID;

use super::idempotent::Key;
use super::request::Wanted;
use super::{Desk, Error, Rejection, refuse};
use crate::catalogue::Offering;
use crate::contract::day_stream;
use crate::domain::booking::Facts;
use crate::domain::span::Span;
use crate::read_model::view::{self, Hold, View};
use crate::read_model::{project, query};
use crate::store::{OpenBooking, OpenDay, customer_lock, day_lock};
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
    let case = Arc::new(Case { desk: Arc::clone(desk), id, customer_id, wanted, offering, span });
    let held = desk
        .store
        .write(metadata, move |tx| {
            let case = Arc::clone(&case);
            Box::pin(async move { case.hold(tx).await })
        })
        .await?;
    tracing::info!(booking_id = %held.id, "a time is held");
    Ok(held)
}

fn held(id: Id<Booking>, view: Option<View>) -> Result<Held, Error> {
    Ok(Held { id, view: view.ok_or(refuse(Rejection::BookingNotFound))? })
}

struct Case {
    desk: Arc<Desk>,
    id: Id<Booking>,
    customer_id: Id<Customer>,
    wanted: Wanted,
    offering: Offering,
    /// From when to when it is asked for.
    span: Span,
}

impl Case {
    async fn hold(&self, tx: &mut Tx) -> Result<Held, Error> {
        let practice = &self.desk.practice;
        let key = Key {
            caller: self.customer_id.to_string(),
            method: METHOD,
            key: self.wanted.key.clone(),
            hash: self.wanted.hash.clone(),
        };
        let rules = &self.desk.rules;
        let date = rules.date_of(self.wanted.starts_at);
        let (day, customer) = (day_lock(PRACTITIONER_ID, date), customer_lock(self.customer_id));
        let locks = [key.lock(), day, customer];
        let caller = (self.customer_id, METHOD, key.key.as_str());
        if !query::lock_unless_taken(tx, &locks, (PRACTITIONER_ID, self.span), caller).await? {
            return Err(refuse(Rejection::SlotTaken));
        }
        let stream = day_stream(PRACTITIONER_ID, date);
        let known = self.desk.days.get(&stream);
        let from = known.as_ref().map_or(0, |known| known.version());
        let (first, loaded) = key.recall_and_load(tx, (&stream, from)).await?;
        if let Some(id) = first {
            return held(id, view::load(tx.connection(), practice, id).await?);
        }
        let now = loaded.now;
        let day = match OpenDay::since(known.as_deref(), &loaded, rules, (PRACTITIONER_ID, date))? {
            Some(day) => day,
            None => OpenDay::load(tx, rules, PRACTITIONER_ID, date).await?.0,
        };
        self.desk.days.keep(&day);
        let mode = project::mode_word(self.wanted.mode);
        let same = (self.customer_id, self.wanted.service_id.as_str(), mode);
        let holds = query::holds(tx, same, self.span, now).await?;
        let (id, view) = match holds.same {
            // Who comes back and asks for the very time that they hold gets their booking again,
            // with the contact data that they gave last: nobody shall be told that they were
            // faster than themselves.
            Some(before) => {
                project::touch(tx, before).await?;
                let contact = &self.wanted.contact;
                (before, view::keep_contact(tx, practice, before, contact, now).await?)
            }
            None => (self.id, self.hold_anew(tx, (day, holds.live), now).await?),
        };
        key.remember(tx, id).await?;
        held(id, view)
    }

    async fn hold_anew(
        &self,
        tx: &mut Tx,
        (day, live_holds): (OpenDay, i64),
        now: Timestamp,
    ) -> Result<Option<View>, Error> {
        let policies = &self.desk.practice.policies;
        let taken = day.state.taken(now);
        let minutes = self.offering.duration_minutes;
        let span = self
            .desk
            .rules
            .offer(self.wanted.starts_at, minutes, &taken, now)
            .map_err(|why| refuse(why.into()))?;
        if live_holds >= i64::from(policies.live_holds_max) {
            return Err(refuse(Rejection::TooManyHolds));
        }
        let until = now.plus_minutes(i64::from(policies.hold_minutes));
        let facts = Facts {
            booking_id: self.id,
            customer_id: self.customer_id,
            service_id: self.wanted.service_id.clone(),
            service_title: self.offering.title.clone(),
            price: self.offering.price,
            sessions: vec![span],
            practitioner_id: PRACTITIONER_ID.to_owned(),
            mode: self.wanted.mode,
        };
        let mut open = OpenBooking::new(self.id, vec![day], now);
        let hold = Hold { facts: &facts, span, until, contact: &self.wanted.contact };
        let view = open.hold(tx, hold, &self.desk.practice).await?;
        tx.set_timer(HOLD_END, &self.id.to_string(), until, timers::payload(tx)).await?;
        Ok(view)
    }
}
