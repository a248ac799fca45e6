//! `RequestBooking` in the simulation: the order of the candidates, and what the first free one
//! stores.

use std::sync::Arc;

use booking::contract::{booking_event, booking_stream};
use booking::domain::availability::NotBookable;
use booking::domain::booking::{Command, ConfirmationBasis, Event, Facts, Origin, State};
use booking::domain::day;
use booking::domain::practitioners::{DayLoad, OccupiedTime, Practitioner, order_for_anyone};
use booking::domain::span::Span;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::super::coverage::Fault;
use super::super::mutant::Mutant;
use super::super::offerings::{PACKAGE_PRICE, SlotRequest, package, policy_of};
use super::super::service::{Error, Service};
use super::super::store::Batch;
use super::super::world::World;
use super::{BookingTables, HOLD_MINUTES, LIVE_HOLDS_MAX, LockedBooking, LockedDay};

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
        let wanted = slot_request.spans();
        let forgets_own = self.has(Mutant::ForgetOwnSessions);
        let existing = tables.existing_hold(slot_request, &wanted, self.now);
        if let Some(before) = existing.filter(|_| !forgets_own) {
            let mut batch = Batch::by(slot_request.customer_id.to_string());
            batch.change(move |tables: &mut BookingTables| {
                tables.store_idempotency_key(key, before);
            });
            return self.commit(batch).map(|()| before);
        }
        let overlaps = |span: &Span| tables.overlaps_own(slot_request.customer_id, *span, self.now);
        if wanted.iter().any(overlaps) && !forgets_own {
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
        let is_stale = self.fault(Fault::StaleLook, 300);
        let date_of = |at: Timestamp| self.scenario.rules.date_of(at);
        let dates: Vec<_> = slot_request.starts.iter().map(|start| date_of(*start)).collect();
        let load = |practitioner: Arc<Practitioner>| {
            let rows = self.booking.tables.live_rows_of(&practitioner.id, self.now);
            let of_day = rows.filter(|row| dates.contains(&date_of(row.starts_at)) && !is_stale);
            let occupied = of_day.filter_map(|row| {
                let is_session = matches!(row.holder, checker::snapshot::Holder::Booking(_));
                Some(OccupiedTime { span: Span::new(row.starts_at, row.ends_at)?, is_session })
            });
            DayLoad { occupied: occupied.collect(), practitioner }
        };
        let days = all.into_iter().map(load).collect();
        order_for_anyone(days, (&slot_request.starts, slot_request.offering.minutes), self.now)
    }

    /// Refuses a request unless all of its times can be booked.
    fn retain_offered(
        &self,
        days: &mut Vec<LockedDay>,
        (practitioner, slot_request): (&Practitioner, &SlotRequest),
    ) -> Result<(), Error> {
        let minutes = slot_request.offering.minutes;
        let offer = |day: &LockedDay| {
            let (starts_at, taken) = (day.span.starts_at(), day.state.taken(self.now));
            practitioner.rules.offer(starts_at, minutes, &taken, self.now).err()
        };
        if self.has(Mutant::HoldPartOfPackage) && days.iter().any(|day| offer(day).is_none()) {
            days.retain(|day| offer(day).is_none());
            return Ok(());
        }
        match days.iter().find_map(offer) {
            None => Ok(()),
            Some(NotBookable::Taken) => Err(Error::Refused("SlotTaken".to_owned())),
            Some(NotBookable::Past | NotBookable::NotOffered) => {
                Err(Error::Refused("NotOffered".to_owned()))
            }
        }
    }

    /// One practitioner is asked.
    fn hold_with(
        &mut self,
        practitioner: &Practitioner,
        slot_request: &SlotRequest,
    ) -> Result<Id<Booking>, Error> {
        let id = self.new_id::<Booking>();
        let facts = facts(id, (practitioner, slot_request));
        let mut days = self.lock_days(&facts);
        if self.has(Mutant::StaleDay) && self.rng.chance(500) {
            for day in &mut days {
                day.state = tables_before(&self.booking.tables, &day.stream);
            }
        }
        self.retain_offered(&mut days, (practitioner, slot_request))?;
        let is_free = slot_request.offering.price.minor == 0;
        let live_holds = self.booking.tables.live_holds(slot_request.customer_id, self.now);
        if !is_free && live_holds >= LIVE_HOLDS_MAX {
            return Err(Error::Refused("TooManyHolds".to_owned()));
        }
        let until = self.now.plus_minutes(HOLD_MINUTES);
        let mut batch = Batch::by(slot_request.customer_id.to_string());
        let (state, now) = (State::Absent, self.now);
        let practitioner_id = String::new();
        let mut locked = LockedBooking { id, state, days, practitioner_id, now };
        locked.apply(&mut batch, Command::Request { facts, until })?;
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

fn facts(id: Id<Booking>, (practitioner, slot_request): (&Practitioner, &SlotRequest)) -> Facts {
    Facts {
        booking_id: id,
        customer_id: slot_request.customer_id,
        service_id: slot_request.offering.id.to_owned(),
        service_title: slot_request.offering.id.to_owned(),
        price: if slot_request.is_package() { PACKAGE_PRICE } else { slot_request.offering.price },
        package: slot_request.is_package().then(package),
        sessions: slot_request.spans(),
        practitioner_id: practitioner.id.clone(),
        mode: slot_request.mode,
        origin: Origin::Account,
        policy: policy_of(id),
    }
}
