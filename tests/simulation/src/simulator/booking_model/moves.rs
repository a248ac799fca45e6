//! `MoveOwnBooking` and `MoveBooking`, as `app/move_booking.rs` of booking has them.

use booking::domain::booking::{Command, Movable, MoveRequest, MovedBy, ProposedMove};
use booking::domain::day;
use booking::domain::span::Span;
use booking::timers::kinds::{MOVE_MEETING, PROPOSAL_END};
use kernel::Id;
use kernel::id::Booking;

use super::super::mutant::Mutant;
use super::super::offerings::earlier_policy;
use super::super::service::{Error, Service};
use super::super::store::Batch;
use super::super::world::World;
use super::{BookingTables, LockedBooking, LockedDay, apply_to_day};

impl World {
    /// Moves a session by so many hours from the time that its caller has seen, and to another
    /// practitioner where staff name one.
    pub(crate) fn move_session(
        &mut self,
        (id, number): (Id<Booking>, usize),
        (by, whom): (MovedBy, Option<&str>),
        (seen, hours): (Span, i64),
    ) -> Result<(), Error> {
        self.answers(Service::Booking)?;
        let refused = |why: &str| Error::Refused(why.to_owned());
        let mut locked = self.lock_booking(id).ok_or(refused("NotFound"))?;
        let practitioner_id = whom.filter(|whom| *whom != locked.practitioner_id);
        let practitioner_id = practitioner_id.map(str::to_owned);
        let whose = practitioner_id.clone().unwrap_or_else(|| locked.practitioner_id.clone());
        let unwritten = earlier_policy();
        let request = MoveRequest { number, by, practitioner_id, unwritten };
        let (now, minutes) = (self.now, hours * 60);
        let (from, to) =
            (seen.starts_at().plus_minutes(minutes), seen.ends_at().plus_minutes(minutes));
        let to = Span::new(from, to).ok_or(refused("InvalidStart"))?;
        let is_repeat = locked.state.facts().and_then(|facts| facts.session(number)) == Some(to);
        if is_repeat && request.practitioner_id.is_none() {
            return Ok(());
        }
        Movable::of(&locked.state, &request, now)?;
        self.check_time(&locked, &whose, (number, to))?;
        let (stream, state) = self.load_day(&whose, to.starts_at());
        if self.has(Mutant::KeepOldTime) {
            locked.days.retain(|day| day.stream == stream);
        }
        if locked.day_of(&whose, to).is_none() {
            locked.days.push(LockedDay { span: to, stream, state });
        }
        let mut batch = Batch::by("usr");
        let day = locked.day_of(&whose, to).ok_or(refused("InvalidStart"))?;
        if !day.state.is_free_for(id, to, now) {
            return Err(refused("SlotTaken"));
        }
        apply_to_day(&mut batch, (&day.stream, &mut day.state), day::Command::Clear { now })?;
        let shown = seen.starts_at();
        locked.apply(&mut batch, Command::Move { request, shown, to, now })?;
        self.commit(batch)
    }

    /// `ProposeMove`, of the session at the time that staff have seen.
    pub(crate) fn propose_move(
        &mut self,
        (id, session): (Id<Booking>, usize),
        seen: Span,
        opens_again: bool,
    ) -> Result<(), Error> {
        let asked = ProposedMove { session, shown: seen.starts_at(), opens_again };
        self.command_booking(id, Command::ProposeMove { asked, now: self.now })
    }

    /// `WithdrawMoveProposal`.
    pub(crate) fn withdraw_proposal(&mut self, id: Id<Booking>) -> Result<(), Error> {
        self.command_booking(id, Command::WithdrawProposal { now: self.now })
    }

    /// The time to choose another one is over.
    pub(super) fn lapse_proposal(&mut self, id: Id<Booking>) -> Result<(), Error> {
        let mut batch = Batch::by("booking");
        if let Some(mut locked) = self.lock_booking(id).filter(|_| !self.has(Mutant::ForgetLapse)) {
            let (unwritten, now) = (earlier_policy(), self.now);
            locked.apply(&mut batch, Command::LapseProposal { unwritten, now })?;
            if locked.state.move_proposal().is_some() {
                return Ok(());
            }
        }
        batch.end_timer(PROPOSAL_END, &id.to_string());
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
    fn check_time(
        &self,
        locked: &LockedBooking,
        whose: &str,
        (number, to): (usize, Span),
    ) -> Result<(), Error> {
        let refused = |why: &str| Error::Refused(why.to_owned());
        let facts = locked.state.facts().ok_or(refused("NotFound"))?;
        let practitioner = self.scenario.practitioners.get(whose);
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
