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
use crate::domain::booking::{self, Facts};
use crate::domain::day;
use crate::domain::span::Span;
use crate::read_model::{project, query};
use crate::store::{OpenBooking, OpenDay, customer_lock, day_lock};
use crate::timers::{self, HOLD_END};

/// The call's name beside idempotency keys.
const METHOD: &str = "RequestBooking";

/// Answers with the booking that holds the time.
///
/// # Errors
/// Why it is refused; then nothing was changed.
pub async fn request_booking(
    desk: &Arc<Desk>,
    customer_id: Id<Customer>,
    request: RequestBookingRequest,
) -> Result<Id<Booking>, Error> {
    let wanted = Wanted::parse(request)?;
    let offering = desk.catalogue.offering(&wanted.service_id).await?;
    let length = i64::from(offering.duration_minutes);
    let span = Span::new(wanted.starts_at, wanted.starts_at.plus_minutes(length))
        .ok_or(refuse(Rejection::InvalidStart))?;
    let caller = (customer_id, METHOD, wanted.key.as_str());
    let pool = desk.store.pool();
    if query::plainly_taken(pool, PRACTITIONER_ID, span, caller).await? {
        return Err(refuse(Rejection::SlotTaken));
    }
    let id = new_id::<Booking>();
    let metadata = Metadata::by(customer_id.to_string(), runtime::telemetry::traceparent())
        .about(id.to_string());
    let case = Arc::new(Case { desk: Arc::clone(desk), id, customer_id, wanted, offering });
    let booked = desk
        .store
        .write(metadata, move |tx| {
            let case = Arc::clone(&case);
            Box::pin(async move { case.hold(tx).await })
        })
        .await?;
    tracing::info!(booking_id = %booked, "a time is held");
    Ok(booked)
}

struct Case {
    desk: Arc<Desk>,
    id: Id<Booking>,
    customer_id: Id<Customer>,
    wanted: Wanted,
    offering: Offering,
}

impl Case {
    async fn hold(&self, tx: &mut Tx) -> Result<Id<Booking>, Error> {
        let key = Key {
            caller: self.customer_id.to_string(),
            method: METHOD,
            key: self.wanted.key.clone(),
            hash: self.wanted.hash.clone(),
        };
        if let Some(first) = key.recall(tx).await? {
            return Ok(first);
        }
        let rules = &self.desk.rules;
        let date = rules.date_of(self.wanted.starts_at);
        tx.lock(&[day_lock(PRACTITIONER_ID, date), customer_lock(self.customer_id)]).await?;
        let day = OpenDay::load(tx, rules, PRACTITIONER_ID, date).await?;
        let now = tx.now().await?;
        let id = match self.held_before(tx, now).await? {
            Some(before) => before,
            None => self.hold_anew(tx, day, now).await?,
        };
        project::contact(tx, id, &self.wanted.contact, now).await?;
        key.remember(tx, id).await?;
        Ok(id)
    }

    /// Who comes back and asks for the very time that they hold gets their booking again, with the
    /// contact data that they gave last: nobody shall be told that they were faster than
    /// themselves.
    async fn held_before(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<Id<Booking>>, Error> {
        let minutes = i64::from(self.offering.duration_minutes);
        let starts_at = self.wanted.starts_at;
        let Some(span) = Span::new(starts_at, starts_at.plus_minutes(minutes)) else {
            return Ok(None);
        };
        let mode = project::mode_word(self.wanted.mode);
        let same = (self.customer_id, self.wanted.service_id.as_str(), mode);
        let before = query::same_hold(tx, same, span, now).await?;
        if let Some(id) = before {
            project::touch(tx, id).await?;
        }
        Ok(before)
    }

    async fn hold_anew(
        &self,
        tx: &mut Tx,
        day: OpenDay,
        now: Timestamp,
    ) -> Result<Id<Booking>, Error> {
        let policies = &self.desk.practice.policies;
        let taken = day.state.taken(now);
        let minutes = self.offering.duration_minutes;
        let span = self
            .desk
            .rules
            .offer(self.wanted.starts_at, minutes, &taken, now)
            .map_err(|why| refuse(why.into()))?;
        let holds = query::live_holds(tx, self.customer_id, now).await?;
        if holds >= i64::from(policies.live_holds_max) {
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
        open.apply(tx, booking::Command::Request { facts, until }).await?;
        let booking_id = self.id;
        let hold = |span| day::Command::Hold { booking_id, span, until, now };
        open.apply_to_days(tx, hold).await?;
        tx.set_timer(HOLD_END, &self.id.to_string(), until, timers::payload(tx)).await?;
        Ok(self.id)
    }
}
