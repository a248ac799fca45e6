//! `RequestBooking` in the simulation: the order of the candidates, and what the first free one
//! stores.

use std::sync::Arc;

use booking::contract::{booking_event, booking_stream};
use booking::domain::availability::NotBookable;
use booking::domain::booking::{Command, ConfirmationBasis, Event, Facts, Mode, State};
use booking::domain::day;
use booking::domain::practitioners::{DayLoad, OccupiedTime, Practitioner, order_for_anyone};
use booking::domain::span::Span;
use booking::timers::kinds::HOLD_END;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use serde_json::json;

use super::super::coverage::Fault;
use super::super::mutant::Mutant;
use super::super::store::Batch;
use super::super::world::{Error, Service, World};
use super::{BookingTables, HOLD_MINUTES, LIVE_HOLDS_MAX, LockedBooking, Offering};

/// A request for a time.
#[derive(Debug, Clone)]
pub(crate) struct SlotRequest {
    pub(crate) customer_id: Id<Customer>,
    pub(crate) offering: Offering,
    pub(crate) starts_at: Timestamp,
    /// The practitioner; `None` for anyone.
    pub(crate) practitioner_id: Option<&'static str>,
    pub(crate) mode: Mode,
    pub(crate) key: String,
}

impl World {
    /// `RequestBooking`.
    pub(crate) fn request_booking(
        &mut self,
        slot_request: &SlotRequest,
    ) -> Result<Id<Booking>, Error> {
        self.answers(Service::Booking)?;
        let tables = &self.booking.tables;
        let key =
            (slot_request.customer_id.to_string(), "RequestBooking", slot_request.key.clone());
        if let Some(first) = tables.keys.get(&key) {
            return Ok(*first);
        }
        let minutes = i64::from(slot_request.offering.minutes);
        let ends_at = slot_request.starts_at.plus_minutes(minutes);
        let Some(wanted) = Span::new(slot_request.starts_at, ends_at) else {
            return Err(Error::Refused("InvalidStart".to_owned()));
        };
        let forgets_own = self.has(Mutant::ForgetOwnSessions);
        let existing = tables.existing_hold(slot_request, wanted, self.now);
        if let Some(before) = existing.filter(|_| !forgets_own) {
            let mut batch = Batch::by(slot_request.customer_id.to_string());
            batch.change(move |tables: &mut BookingTables| {
                tables.store_idempotency_key(key, before);
            });
            return self.commit(batch).map(|()| before);
        }
        if tables.overlaps_own(slot_request.customer_id, wanted, self.now) && !forgets_own {
            return Err(Error::Refused("OverlapsOwnSession".to_owned()));
        }
        let is_free = slot_request.offering.price.minor == 0;
        if is_free && tables.has_free_session(slot_request.customer_id) {
            return Err(Error::Refused("FreeSessionUsed".to_owned()));
        }
        let mut refused = Error::Refused("NotOffered".to_owned());
        for practitioner in self.candidates(slot_request) {
            refused = match self.hold_with(&practitioner, slot_request) {
                Err(Error::Refused(why)) if why == "SlotTaken" => Error::Refused(why),
                other => return other,
            };
        }
        Err(refused)
    }

    /// The named practitioner, or the candidates for anyone by an earlier look at their days.
    fn candidates(&mut self, slot_request: &SlotRequest) -> Vec<Arc<Practitioner>> {
        let mut all = self.scenario.practitioners.of_service(&[]);
        if let Some(named) = slot_request.practitioner_id {
            all.retain(|one| one.id == named);
            return all;
        }
        if all.len() == 1 {
            return all;
        }
        let date = self.scenario.rules.date_of(slot_request.starts_at);
        let is_stale = self.fault(Fault::StaleLook, 300);
        let load = |practitioner: Arc<Practitioner>| {
            let rows = self.booking.tables.live_rows_of(&practitioner.id, self.now);
            let of_day =
                rows.filter(|row| self.scenario.rules.date_of(row.starts_at) == date && !is_stale);
            let occupied = of_day.filter_map(|row| {
                let is_session = matches!(row.holder, crate::checker::snapshot::Holder::Booking(_));
                Some(OccupiedTime { span: Span::new(row.starts_at, row.ends_at)?, is_session })
            });
            DayLoad { occupied: occupied.collect(), practitioner }
        };
        let days = all.into_iter().map(load).collect();
        order_for_anyone(days, (slot_request.starts_at, slot_request.offering.minutes), self.now)
    }

    /// One practitioner is asked.
    fn hold_with(
        &mut self,
        practitioner: &Practitioner,
        slot_request: &SlotRequest,
    ) -> Result<Id<Booking>, Error> {
        let (stream, mut day) = self.load_day(&practitioner.id, slot_request.starts_at);
        if self.has(Mutant::StaleDay) && self.rng.chance(500) {
            day = tables_before(&self.booking.tables, &stream);
        }
        let (taken, minutes) = (day.taken(self.now), slot_request.offering.minutes);
        let offered = practitioner.rules.offer(slot_request.starts_at, minutes, &taken, self.now);
        let span = offered.map_err(|why| {
            Error::Refused(
                if why == NotBookable::Taken { "SlotTaken" } else { "NotOffered" }.into(),
            )
        })?;
        let is_free = slot_request.offering.price.minor == 0;
        let live_holds = self.booking.tables.live_holds(slot_request.customer_id, self.now);
        if !is_free && live_holds >= LIVE_HOLDS_MAX {
            return Err(Error::Refused("TooManyHolds".to_owned()));
        }
        let id = self.new_id::<Booking>();
        let until = self.now.plus_minutes(HOLD_MINUTES);
        let facts = facts(id, (practitioner, slot_request), span);
        let mut batch = Batch::by(slot_request.customer_id.to_string());
        let (state, now) = (State::Absent, self.now);
        let mut locked = LockedBooking { id, state, span, stream, day, now };
        locked.apply(&mut batch, Command::Request { facts, until })?;
        if is_free {
            locked.apply_to_day(&mut batch, day::Command::Book { booking_id: id, span, now })?;
            locked.set_session_timers(&mut batch);
        } else {
            let hold = day::Command::Hold { booking_id: id, span, until, now };
            locked.apply_to_day(&mut batch, hold)?;
            batch.set_timer(HOLD_END, &id.to_string(), until, json!({}));
        }
        if self.has(Mutant::ConfirmForNothing) && self.rng.chance(100) {
            let confirmed = Event::Confirmed { basis: ConfirmationBasis::Free, reinstated: false };
            let new = booking_event(id, &confirmed).map_err(Error::broken)?;
            batch.append(&booking_stream(id), new);
        }
        let key =
            (slot_request.customer_id.to_string(), "RequestBooking", slot_request.key.clone());
        batch.change(move |tables: &mut BookingTables| tables.store_idempotency_key(key, id));
        match self.commit(batch) {
            Err(Error::Died | Error::Unavailable) if self.has(Mutant::AckBeforeCommit) => Ok(id),
            done => done.map(|()| id),
        }
    }
}

/// The day as it was before its last event, for a decision that does not look.
fn tables_before(tables: &BookingTables, stream: &str) -> day::State {
    tables.days_before.get(stream).cloned().unwrap_or_default()
}

fn facts(
    id: Id<Booking>,
    (practitioner, slot_request): (&Practitioner, &SlotRequest),
    span: Span,
) -> Facts {
    Facts {
        booking_id: id,
        customer_id: slot_request.customer_id,
        service_id: slot_request.offering.id.to_owned(),
        service_title: slot_request.offering.id.to_owned(),
        price: slot_request.offering.price,
        sessions: vec![span],
        practitioner_id: practitioner.id.clone(),
        mode: slot_request.mode,
    }
}
