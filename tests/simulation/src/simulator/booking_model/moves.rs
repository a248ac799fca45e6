//! `MoveOwnBooking` and `MoveBooking`, as `app/move_booking.rs` of booking has them.

use booking::domain::booking::{Command, Movable, MoveRequest, MovedBy};
use booking::domain::day;
use booking::domain::span::Span;
use booking::timers::kinds::MOVE_MEETING;
use kernel::Id;
use kernel::id::Booking;

use super::super::mutant::Mutant;
use super::super::offerings::earlier_policy;
use super::super::service::{Error, Service};
use super::super::store::Batch;
use super::super::world::World;
use super::{BookingTables, LockedBooking, LockedDay, apply_to_day};

impl World {
    /// Moves a session by so many hours from the time that its caller has seen.
    pub(crate) fn move_session(
        &mut self,
        (id, number): (Id<Booking>, usize),
        by: MovedBy,
        (seen, hours): (Span, i64),
    ) -> Result<(), Error> {
        self.answers(Service::Booking)?;
        let refused = |why: &str| Error::Refused(why.to_owned());
        let mut locked = self.lock_booking(id).ok_or(refused("NotFound"))?;
        let request = MoveRequest { number, by, unwritten: earlier_policy() };
        let (now, minutes) = (self.now, hours * 60);
        let (from, to) =
            (seen.starts_at().plus_minutes(minutes), seen.ends_at().plus_minutes(minutes));
        let to = Span::new(from, to).ok_or(refused("InvalidStart"))?;
        let is_repeat = locked.state.facts().and_then(|facts| facts.session(number)) == Some(to);
        if is_repeat {
            return Ok(());
        }
        Movable::of(&locked.state, &request, now)?;
        self.check_time(&locked, (number, to))?;
        let facts = locked.state.facts().ok_or(refused("NotFound"))?;
        let (stream, state) = self.load_day(&facts.practitioner_id, to.starts_at());
        if self.has(Mutant::KeepOldTime) {
            locked.days.retain(|day| day.stream == stream);
        }
        if locked.day_of(to).is_none() {
            locked.days.push(LockedDay { span: to, stream, state });
        }
        let mut batch = Batch::by("usr");
        let day = locked.day_of(to).ok_or(refused("InvalidStart"))?;
        if !day.state.is_free_for(id, to, now) {
            return Err(refused("SlotTaken"));
        }
        apply_to_day(&mut batch, (&day.stream, &mut day.state), day::Command::Clear { now })?;
        let shown = seen.starts_at();
        locked.apply(&mut batch, Command::Move { request, shown, to, now })?;
        self.commit(batch)
    }

    /// The meeting's time is told; what the provider does with it follows from nothing here.
    pub(super) fn move_meeting(&mut self, id: Id<Booking>) -> Result<(), Error> {
        let mut batch: Batch<BookingTables> = Batch::by("booking");
        batch.end_timer(MOVE_MEETING, &id.to_string());
        self.commit(batch)
    }

    /// The timetable has the time, no other session of its package is on that day, and its client
    /// none at that time.
    fn check_time(&self, locked: &LockedBooking, (number, to): (usize, Span)) -> Result<(), Error> {
        let refused = |why: &str| Error::Refused(why.to_owned());
        let facts = locked.state.facts().ok_or(refused("NotFound"))?;
        let practitioner = self.scenario.practitioners.get(&facts.practitioner_id);
        let practitioner = practitioner.ok_or(refused("SlotNotOffered"))?;
        if to.starts_at() <= self.now || !practitioner.rules.offers(to) {
            return Err(refused("SlotNotOffered"));
        }
        let date = |span: &Span| practitioner.rules.date_of(span.starts_at());
        let mut others = facts.numbers().zip(&facts.sessions).filter(|(it, _)| *it != number);
        if others.any(|(_, span)| date(span) == date(&to)) {
            return Err(refused("OutOfOrder"));
        }
        let tables = &self.booking.tables;
        if tables.overlaps_other(facts.customer_id, (facts.booking_id, to), self.now) {
            return Err(refused("OverlapsOwnSession"));
        }
        Ok(())
    }
}
